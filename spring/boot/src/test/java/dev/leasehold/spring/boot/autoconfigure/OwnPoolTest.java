package dev.leasehold.spring.boot.autoconfigure;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The pool for locks beside the application's. */
@Tag("slow")
class OwnPoolTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LeaseholdAutoConfiguration.class, DataSourceAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.datasource.hikari.maximum-pool-size=1");

    /** The application's transactions have all connections of its pool. */
    @Test
    void leasesAreRenewedWhileTheApplicationHasNoConnection() {
        runner.run(context -> {
            Lease lease = context.getBean(Leasehold.class).lock("a").acquire();
            try (Connection last = context.getBean(DataSource.class).getConnection()) {
                assertThat(lease.extend(Duration.ofMinutes(5))).isGreaterThan(Duration.ofMinutes(1));
                assertThat(last.isClosed()).isFalse();
            }
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        });
    }

    /** This shows what the pool is good for. */
    @Test
    void withoutThePoolTheSameLeaseIsLost() {
        runner.withPropertyValues("leasehold.store.jdbc.own-pool=false", "leasehold.lease=2s")
                .run(context -> {
                    Lease lease = context.getBean(Leasehold.class).lock("a").acquire();
                    try (Connection last = context.getBean(DataSource.class).getConnection()) {
                        await().until(() -> !lease.isValid());
                        assertThat(last.isValid(1)).isTrue();
                    }
                });
    }

    /** The application's own connections were named so. */
    @Test
    void onlyItsConnectionsAreNamedLeasehold() {
        try (HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:postgresql://localhost:1/a?ssl=false");
            application.setDriverClassName("org.postgresql.Driver");
            OwnPool own =
                    OwnPool.like(application, new LeaseholdProperties.Jdbc(null, null, true, true, 1, false, false));
            own.close();
            assertThat(own.dataSource().getJdbcUrl()).endsWith("?ssl=false&ApplicationName=leasehold");
            assertThat(application.getDataSourceProperties()).isEmpty();
            assertThat(application.getJdbcUrl()).endsWith("?ssl=false");
        }
    }

    /** The pool kept the password with which the application had begun, and could make no more connections. */
    @Test
    void aPasswordThatWasChangedIsUsed() throws Exception {
        try (HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:h2:mem:rotation;DB_CLOSE_DELAY=-1");
            application.setUsername("sa");
            application.setPassword("old");
            application.setConnectionTimeout(TimeUnit.SECONDS.toMillis(A_MINUTE));
            OwnPool own =
                    OwnPool.like(application, new LeaseholdProperties.Jdbc(null, null, true, true, 1, false, false));
            try (Connection connection = application.getConnection();
                    Connection before = own.dataSource().getConnection()) {
                assertThat(before.isValid(1)).isTrue();
                connection.createStatement().execute("ALTER USER \"SA\" SET PASSWORD 'new'");
            }
            application.setPassword("new");
            own.dataSource().getHikariPoolMXBean().softEvictConnections();
            try (Connection after = own.dataSource().getConnection()) {
                assertThat(after.isValid(1)).isTrue();
            } finally {
                own.close();
            }
        }
    }
}

package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** The pool for locks beside the application's. */
class OwnPoolTest {

    /** The pool kept the password with which the application had begun, and could make no more connections. */
    @Test
    void aPasswordThatWasChangedIsUsed() throws Exception {
        try (HikariDataSource application = new HikariDataSource()) {
            application.setJdbcUrl("jdbc:h2:mem:rotation;DB_CLOSE_DELAY=-1");
            application.setUsername("sa");
            application.setPassword("old");
            application.setConnectionTimeout(2000);
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

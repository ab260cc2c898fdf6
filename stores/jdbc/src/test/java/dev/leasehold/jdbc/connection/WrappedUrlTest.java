package dev.leasehold.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.WrapperDriver;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** URLs of drivers that stand before another one, as {@code jdbc:p6spy:} and {@code jdbc:aws-wrapper:} do. */
@Tag("slow")
class WrappedUrlTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    /** Without it, statements that nobody waits for any more wait in the server for 50 s. */
    @Test
    void theirStatementsAreLimitedToo() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(false);
                OwnPool pool = pool(MARIADB.get().url());
                Connection connection = pool.get();
                Sql sql = new Sql(connection)) {
            assertThat(sql.number("SELECT @@innodb_lock_wait_timeout")).isEqualTo(5);
            assertThat(pool.limitsWaits()).isTrue();
        }
    }

    @Test
    void thoseOfPostgresAreLimitedToo() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(false);
                OwnPool pool = pool(POSTGRES.get().url());
                Connection connection = pool.get();
                Sql sql = new Sql(connection)) {
            assertThat(lockTimeout(sql)).isEqualTo("4s");
            assertThat(pool.limitsWaits()).isTrue();
        }
    }

    /** Whether a pooler is in between cannot be seen: so nothing is set, and the driver limits each statement. */
    @Test
    void aHiddenDriverLimitsStatementsItself() throws Exception {
        try (WrapperDriver wrapper = WrapperDriver.register(true);
                OwnPool pool = pool(POSTGRES.get().url());
                Connection connection = pool.get();
                Sql sql = new Sql(connection)) {
            assertThat(lockTimeout(sql)).isEqualTo("0");
            assertThat(pool.limitsWaits()).isFalse();
        }
    }

    private static OwnPool pool(String url) {
        return new OwnPool(WrapperDriver.url(url), null, 2, Duration.ofSeconds(5));
    }

    private static String lockTimeout(Sql sql) throws Exception {
        return sql.first("SHOW lock_timeout", row -> row.getString(1));
    }
}

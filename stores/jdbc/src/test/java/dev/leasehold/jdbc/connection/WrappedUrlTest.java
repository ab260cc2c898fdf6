package dev.leasehold.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** URLs of drivers that stand before another one, as {@code jdbc:p6spy:} and {@code jdbc:aws-wrapper:} do. */
@Tag("slow")
class WrappedUrlTest {

    private static final String WRAPPER = "jdbc:wrapper:";

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    /** A wrapper takes its name out of the URL. */
    private record Wrapper() implements Driver {

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            return acceptsURL(url)
                    ? DriverManager.getConnection("jdbc:" + url.substring(WRAPPER.length()), info)
                    : null;
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith(WRAPPER);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }

    /** Without it, statements that nobody waits for any more wait in the server for 50 s. */
    @Test
    void theirStatementsAreLimitedToo() throws Exception {
        Driver wrapper = new Wrapper();
        DriverManager.registerDriver(wrapper);
        String url = WRAPPER + MARIADB.get().url().substring("jdbc:".length());
        try (OwnPool pool = new OwnPool(url, null, 2, Duration.ofSeconds(5));
                Connection connection = pool.get();
                Sql sql = new Sql(connection)) {
            assertThat(sql.number("SELECT @@innodb_lock_wait_timeout")).isEqualTo(5);
        } finally {
            DriverManager.deregisterDriver(wrapper);
        }
    }
}

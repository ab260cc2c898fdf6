package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests run with MariaDB's own driver, and with MySQL's driver and dialect: no MySQL server is available from
 * Maven Central.
 */
@Tag("slow")
class MariaDbFenceTest {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    /** At SERIALIZABLE plain reads lock, so that who reads first holds up the others. */
    private static final List<Integer> VIEWS = List.of(Connection.TRANSACTION_REPEATABLE_READ);

    @Nested
    class OwnDriver extends FenceContract {

        @Override
        public String url() {
            return MARIADB.get().url();
        }

        @Override
        public JdbcFence fence() {
            return JdbcFence.standard();
        }

        @Override
        public List<Integer> levelsWithAView() {
            return VIEWS;
        }

        @Test
        @DisplayName("Reading, inserting and changing is enough; resetting takes deleting")
        void onlyResettingTakesTheRightToDelete() throws Exception {
            String clerk = url().replace("user=root", "user=clerk");
            // Without the last one the clerk could not use the database of the URL.
            new FenceRights(
                            url(),
                            clerk,
                            List.of(
                                    "CREATE DATABASE money",
                                    "CREATE USER clerk",
                                    "GRANT SELECT ON test.account TO clerk"))
                    .check();
        }
    }

    /** The same statements once more. */
    @Nested
    @Tag("extended")
    class MySqlDriver extends FenceContract {

        @Override
        public String url() {
            return MARIADB.get().mysqlUrl() + "&sslMode=DISABLED"; // A handshake takes half a second.
        }

        @Override
        public JdbcFence fence() {
            return JdbcFence.standard().withTables("mysql_").withDialect(JdbcDialect.MYSQL);
        }

        @Override
        public List<Integer> levelsWithAView() {
            return VIEWS;
        }
    }
}

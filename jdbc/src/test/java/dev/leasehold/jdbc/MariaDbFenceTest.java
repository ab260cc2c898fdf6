package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With MariaDB's own driver, and with MySQL's driver and dialect: no MySQL server can be had from Maven Central. */
class MariaDbFenceTest {

    private static MariaDbServer mariadb;

    @BeforeAll
    static void startServer() {
        mariadb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServer() {
        mariadb.close();
    }

    /** At SERIALIZABLE plain reads lock, so that who reads first holds up the others. */
    private static final List<Integer> VIEWS = List.of(Connection.TRANSACTION_REPEATABLE_READ);

    @Nested
    class OwnDriver extends FenceContract {

        @Override
        String url() {
            return mariadb.url();
        }

        @Override
        JdbcFence fence() {
            return JdbcFence.standard();
        }

        @Override
        List<Integer> levelsWithAView() {
            return VIEWS;
        }

        @Test
        void readingInsertingAndChangingIsEnoughAndResettingTakesDeleting() throws Exception {
            try (Connection admin = DriverManager.getConnection(url());
                    Statement statement = admin.createStatement()) {
                statement.execute("CREATE DATABASE money");
                statement.execute("CREATE USER clerk");
                JdbcFence fence = JdbcFence.standard().withSchema("money").withTables("my_");
                fence.createTable(dataSource());
                statement.execute("GRANT SELECT ON test.account TO clerk"); // Or it could not use the database test.
                String url = url().replace("user=root", "user=clerk");
                try (Connection clerk = DriverManager.getConnection(url)) {
                    clerk.setAutoCommit(false);
                    assertThatThrownBy(() -> fence.register(clerk, "a", 2))
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining("denied");
                    clerk.rollback();
                    statement.execute("GRANT SELECT, INSERT, UPDATE ON money.my_fence TO clerk");
                    fence.createTable(new DataSourceOf(url));
                    fence.register(clerk, "a", 2);
                    assertThatThrownBy(() -> fence.register(clerk, "a", 1)).isInstanceOf(StaleTokenException.class);
                    clerk.commit();
                    assertThatThrownBy(() -> fence.reset(clerk, "a")).hasMessageContaining("denied");
                    clerk.rollback();
                    statement.execute("GRANT DELETE ON money.my_fence TO clerk");
                    fence.reset(clerk, "a");
                    fence.register(clerk, "a", 1);
                    clerk.commit();
                }
            }
        }
    }

    /** The same statements once more. */
    @Nested
    @Tag("extended")
    class MySqlDriver extends FenceContract {

        @Override
        String url() {
            return mariadb.mysqlUrl() + "&sslMode=DISABLED"; // A handshake takes half a second.
        }

        @Override
        JdbcFence fence() {
            return JdbcFence.standard().withTables("mysql_").withDialect(JdbcDialect.MYSQL);
        }

        @Override
        List<Integer> levelsWithAView() {
            return VIEWS;
        }
    }
}

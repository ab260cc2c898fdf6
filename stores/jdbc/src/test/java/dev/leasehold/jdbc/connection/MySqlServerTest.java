package dev.leasehold.jdbc.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.FenceContract;
import dev.leasehold.jdbc.JdbcFence;
import dev.leasehold.jdbc.JdbcStoreProvider;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testkit.StoreContract;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * These tests run on a real MySQL server, where there is one: none is available from Maven Central. CONTRIBUTING.md
 * says how to run this. The variable names host and port; its root has no password.
 */
@Tag("slow")
@EnabledIfEnvironmentVariable(named = "LEASEHOLD_TEST_MYSQL", matches = ".+:[0-9]+")
class MySqlServerTest {

    private static final String QUESTIONS = "SHOW GLOBAL STATUS LIKE 'Questions'";

    /** Makes a database for each of the contracts, by the driver. */
    private static String freshDatabase() {
        return "jdbc:mysql://" + System.getenv("LEASEHOLD_TEST_MYSQL") + "/leasehold_"
                + UUID.randomUUID().toString().replace("-", "")
                + "?createDatabaseIfNotExist=true&user=root&password=&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    private static StoreFactory store(String url) {
        return new JdbcStoreProvider().create(StoreUri.parse(url));
    }

    /** The driver used to ask before each statement whether the connection is read-only. */
    @Test
    void anUncontendedCycleIsTwoStatementsAtReadCommitted() throws Exception {
        String url = freshDatabase();
        try (Leasehold client = Leasehold.connect(url);
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            client.lock("counted").acquire().close();
            // Clients of other tests may still be there, and ask for something, too.
            await().untilAsserted(() -> {
                long before = number(statement, QUESTIONS);
                for (int i = 0; i < 50; i++) {
                    client.lock("counted").acquire().close();
                }
                assertThat(number(statement, QUESTIONS) - before).isBetween(100L, 110L);
            });
        }
        try (OwnPool pool = new OwnPool(url, null, 1, Duration.ofSeconds(5));
                Connection connection = pool.get();
                Statement statement = connection.createStatement()) {
            assertThat(number(statement, "SELECT '', @@session.transaction_isolation = 'READ-COMMITTED'"))
                    .isEqualTo(1);
        }
    }

    private static long number(Statement statement, String question) throws SQLException {
        try (ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getLong(2);
        }
    }

    @Nested
    class Rows extends StoreContract {

        private final String url = freshDatabase();

        @Override
        protected StoreFactory store() {
            return MySqlServerTest.store(url);
        }
    }

    @Nested
    class Sessions extends StoreContract {

        private final String url = freshDatabase() + "&leasehold.sessionLocks=true";

        @Override
        protected StoreFactory store() {
            return MySqlServerTest.store(url);
        }
    }

    @Nested
    class Clients extends LeaseholdContract {

        private final String url = freshDatabase();

        @Override
        protected StoreFactory store() {
            return MySqlServerTest.store(url);
        }
    }

    @Nested
    class Elections extends ElectionContract {

        private final String url = freshDatabase();

        @Override
        protected StoreFactory store() {
            return MySqlServerTest.store(url);
        }
    }

    @Nested
    class Fence extends FenceContract {

        private static final String URL = freshDatabase();

        @Override
        public String url() {
            return URL;
        }

        @Override
        public JdbcFence fence() {
            return JdbcFence.standard();
        }

        @Override
        public List<Integer> levelsWithAView() {
            return List.of(Connection.TRANSACTION_REPEATABLE_READ);
        }
    }
}

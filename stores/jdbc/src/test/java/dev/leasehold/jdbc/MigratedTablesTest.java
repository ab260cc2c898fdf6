package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tables that a migration drops and makes again, while clients are connected. */
@Tag("slow")
class MigratedTablesTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Test
    void onPostgres() throws Exception {
        areUsedAgain(POSTGRES.get().url());
    }

    @Test
    void onMariaDb() throws Exception {
        areUsedAgain(MARIADB.get().url());
    }

    @Test
    void onH2() throws Exception {
        areUsedAgain("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1?");
    }

    /** Who has found them missing looks at what is there now as a new client does. */
    @Test
    void whatIsMadeAgainMayBeOfAnotherLayout() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        String tables = url + "?leasehold.tables=mig_";
        try (Leasehold client = Leasehold.connect(tables)) {
            client.lock("a").acquire().close();
            drop(url);
            assertThatThrownBy(() -> client.lock("a").acquire()).hasMessageContaining("misses the table");
            make(tables);
            run(url, "UPDATE \"mig_layout\" SET layout = 2");
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("have layout 2");
        }
    }

    private static void areUsedAgain(String url) throws Exception {
        String tables = url + "&leasehold.tables=mig_";
        try (Leasehold client = Leasehold.connect(tables)) {
            for (int i = 0; i < 10; i++) { // From the fifth on PostgreSQL's driver has the server keep a statement.
                client.lock("a").acquire().close();
            }
            drop(url);
            assertThatThrownBy(() -> client.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("misses the table");
            make(tables);
            client.lock("a").acquire().close();
            drop(url);
            make(tables);
            client.lock("a").acquire().close();
            client.lock("b").acquire().close();
        }
    }

    private static void make(String tables) throws InterruptedException {
        try (Leasehold migration = Leasehold.connect(tables)) {
            migration.lock("made").acquire().close();
        }
    }

    private static void drop(String url) throws SQLException {
        String quote = url.contains("h2") ? "\"" : "";
        for (String table : List.of("mig_lock", "mig_holder", "mig_waiter", "mig_layout")) {
            run(url, "DROP TABLE " + quote + table + quote);
        }
    }

    private static void run(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url.replaceFirst("\\?$", ""));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

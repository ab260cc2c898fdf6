package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show in which schema the tables are, where connections of one data source do not look in the same. */
@Tag("slow")
class SchemaTest {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    private final String lock = "lock-" + UUID.randomUUID();

    /** Its first connection looks where all do; the others were used by somebody who has left a search path behind. */
    private static DataSource whoseLaterConnectionsLookIn(String schema) {
        AtomicInteger connections = new AtomicInteger();
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    Connection connection =
                            DriverManager.getConnection(POSTGRES.get().url());
                    if (connections.getAndIncrement() > 0) {
                        run(connection, "SET search_path TO " + schema);
                    }
                    return connection;
                });
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url())) {
            run(connection, sql);
        }
    }

    private static int tablesIn(String schema) throws SQLException {
        try (Connection connection = DriverManager.getConnection(POSTGRES.get().url());
                var found = connection.getMetaData().getTables(null, schema, "leasehold_%", null)) {
            int tables = 0;
            while (found.next()) {
                tables++;
            }
            return tables;
        }
    }

    @Test
    void connectionsThatLookInAnotherSchemaFindTheSameLock() throws Exception {
        run("CREATE SCHEMA IF NOT EXISTS elsewhere");
        try (Leasehold wandering = Leasehold.builder()
                        .store(JdbcStore.using(whoseLaterConnectionsLookIn("elsewhere")))
                        .build();
                Leasehold other = Leasehold.connect(POSTGRES.get().url());
                Lease lease = wandering.lock(lock).acquire()) {
            assertThat(other.lock(lock).tryAcquire()).isEmpty();
            assertThat(lease.extend(Duration.ofMinutes(1))).isGreaterThan(Duration.ofSeconds(50));
            assertThat(wandering.locks(lock)).hasSize(1);
        }
        assertThat(tablesIn("elsewhere")).isZero();
    }

    @Test
    void tablesThatWereThereOnceAreNotMadeAgain() throws Exception {
        run("CREATE SCHEMA IF NOT EXISTS dropped");
        String url = POSTGRES.get().url();
        String schema = url + (url.contains("?") ? "&" : "?") + "leasehold.schema=dropped";
        try (Leasehold leasehold = Leasehold.connect(schema)) {
            leasehold.lock(lock).acquire().close();
            assertThat(tablesIn("dropped")).isPositive();
            run("DROP SCHEMA dropped CASCADE");
            run("CREATE SCHEMA dropped");
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> leasehold.lock(lock).tryAcquire())
                        .isInstanceOf(LockException.class)
                        .hasMessageContaining("misses the table");
            }
        }
        assertThat(tablesIn("dropped")).isZero();
    }
}

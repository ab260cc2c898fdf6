package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Tampering;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * These tests are about rows of locks that somebody has changed: numbers out of range, other types where the database takes
 * them, rows gone or invented.
 */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TamperedRowsTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));

    private static final List<Object> VALUES = Arrays.asList(
            null,
            0L,
            1L,
            -1L,
            2L,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            9_007_199_254_740_993L,
            1e300,
            "",
            "*",
            "garbage",
            "12",
            "-",
            "x".repeat(5_000),
            new byte[] {0, (byte) 0xFF});

    @TempDir
    Path directory;

    private static Leasehold client(String uri) {
        return Leasehold.builder()
                .uri(uri)
                .options(OPTIONS)
                .storeTimeout(Duration.ofSeconds(10))
                .build();
    }

    @Test
    void rowsOfSqlite() throws Exception {
        String file = "sqlite:" + directory.resolve("locks.db");
        try (Leasehold client = client(file)) {
            client.lock("first").run(lease -> {});
            Tampering.fuzz(client, "sqlite:", new Rows("jdbc:" + file + "?busy_timeout=5000", "id"));
        }
    }

    /**
     * A row that was deleted is as if it had never been, so the store lets a reader in beside the mutex: seed 7 once. It cannot be
     * told; the reader has the greater token, and the mutex learns of its loss.
     */
    @Test
    @DisplayName("A reader beside a mutex whose row is gone has the greater token")
    void aReaderBesideALostMutexHasTheGreaterToken() throws Exception {
        String file = "sqlite:" + directory.resolve("locks.db");
        Rows rows = new Rows("jdbc:" + file + "?busy_timeout=5000", "id");
        try (Leasehold client = client(file);
                Lease mutex = client.lock("gone").acquire()) {
            rows.remove("gone");
            try (Lease reader = client.readWriteLock("gone").read().tryAcquire().orElseThrow()) {
                assertThat(reader.token()).isGreaterThan(mutex.token());
                assertThat(mutex.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                        .isEqualTo(LeaseState.LOST);
                assertThat(reader.isValid()).isTrue();
            }
        }
    }

    @Test
    void rowsOfH2() throws Exception {
        String url = "jdbc:h2:mem:tampered;DB_CLOSE_DELAY=-1";
        try (Leasehold client = client(url)) {
            client.lock("first").run(lease -> {});
            Tampering.fuzz(client, "jdbc:h2:", new Rows(url, "name"), 16);
        }
    }

    @Test
    @Tag("extended")
    void rowsOfPostgres() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Leasehold client = client(server.url())) {
            client.lock("first").run(lease -> {});
            Tampering.fuzz(client, "jdbc:postgresql:", new Rows(server.url(), "name"));
        }
    }

    /** The tables of one database; {@code key} is the column of a lock's row that those of its holders and waiters name. */
    private record Rows(String url, String key) implements Tampering.Hand {

        private static final List<String> TABLES = List.of("leasehold_lock", "leasehold_holder", "leasehold_waiter");

        @Override
        public void tamper(String lock, Random random) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url)) {
                String table = TABLES.get(random.nextInt(3));
                List<String> columns = columns(connection, table);
                if (table.equals("leasehold_lock")) {
                    if (random.nextInt(8) == 0) {
                        execute(connection, "DELETE FROM \"leasehold_lock\" WHERE name = ?", lock);
                        return;
                    }
                    for (int i = 0; i < 1 + random.nextInt(3); i++) {
                        String column = columns.get(random.nextInt(columns.size()));
                        if (!List.of("id", "name", "namespace").contains(column.toLowerCase(Locale.ROOT))) {
                            execute(
                                    connection,
                                    "UPDATE \"leasehold_lock\" SET \"" + column + "\" = ? WHERE name = ?",
                                    VALUES.get(random.nextInt(VALUES.size())),
                                    lock);
                        }
                    }
                } else {
                    invent(connection, table, columns, lock, random);
                }
            }
        }

        /** A row for nobody, in good form but for its values; and the lock's row may say that several share it. */
        private void invent(Connection connection, String table, List<String> columns, String lock, Random random)
                throws SQLException {
            if (random.nextBoolean()) {
                execute(connection, "UPDATE \"leasehold_lock\" SET client = '*' WHERE name = ?", lock);
            }
            List<Object> values = new ArrayList<>();
            List<String> places = new ArrayList<>();
            for (String column : columns) {
                if (column.equals("lock")) {
                    places.add("(SELECT id FROM leasehold_lock WHERE name = ?)");
                    values.add(lock);
                } else {
                    places.add("?");
                    values.add(
                            column.equalsIgnoreCase("name")
                                    ? lock
                                    : column.equalsIgnoreCase("namespace")
                                            ? ""
                                            : VALUES.get(random.nextInt(VALUES.size())));
                }
            }
            execute(
                    connection,
                    "INSERT INTO \"" + table + "\" VALUES (" + String.join(", ", places) + ")",
                    values.toArray());
        }

        private static List<String> columns(Connection connection, String table) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet none = statement.executeQuery("SELECT * FROM \"" + table + "\" WHERE 1 = 0")) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= none.getMetaData().getColumnCount(); i++) {
                    columns.add(none.getMetaData().getColumnName(i));
                }
                return columns;
            }
        }

        /** A change that the database itself refuses has not tampered with anything. */
        private static void execute(Connection connection, String sql, Object... values) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.executeUpdate();
            } catch (SQLException e) {
                // A value of another type, or none where there has to be one.
            }
        }

        @Override
        public void remove(String lock) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url)) {
                String foreign =
                        key.equals("id") ? "lock = (SELECT id FROM leasehold_lock WHERE name = ?)" : "name = ?";
                execute(connection, "DELETE FROM \"leasehold_holder\" WHERE " + foreign, lock);
                execute(connection, "DELETE FROM \"leasehold_waiter\" WHERE " + foreign, lock);
                execute(connection, "DELETE FROM \"leasehold_lock\" WHERE name = ?", lock);
            }
        }
    }
}

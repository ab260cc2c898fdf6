package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests show what a fence owes to readers, in every database, at every isolation level. The resource is a number. */
@Tag("slow")
class SharedFenceTest {

    private static final int RC = Connection.TRANSACTION_READ_COMMITTED;

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @TempDir
    static Path directory;

    enum Server {
        POSTGRESQL,
        MARIADB,
        MYSQL_DRIVER,
        H2,
        SQLITE;

        String url() {
            return switch (this) {
                case POSTGRESQL -> POSTGRES.get().url();
                case MARIADB -> SharedFenceTest.MARIADB.get().url();
                case MYSQL_DRIVER -> SharedFenceTest.MARIADB.get().mysqlUrl() + "&sslMode=DISABLED";
                case H2 -> "jdbc:h2:mem:readers;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
                case SQLITE -> "jdbc:sqlite:" + directory.resolve("money.db") + "?journal_mode=WAL&busy_timeout=20000";
            };
        }

        JdbcFence fence() {
            return this == MYSQL_DRIVER ? JdbcFence.standard().withDialect(JdbcDialect.MYSQL) : JdbcFence.standard();
        }
    }

    /** A database is at one of its levels. */
    record At(Server server, int level) {

        Connection begin() throws SQLException {
            Connection connection = DriverManager.getConnection(server.url());
            if (server != Server.SQLITE) {
                connection.setTransactionIsolation(level);
            }
            connection.setAutoCommit(false);
            return connection;
        }

        /** Returns whether readers below the newest token keep nobody waiting. */
        boolean sharesRows() {
            return switch (server) {
                case POSTGRESQL, SQLITE -> true;
                case MARIADB, MYSQL_DRIVER -> level == RC;
                case H2 -> false;
            };
        }
    }

    static Stream<At> all() {
        return Stream.of(Server.values())
                .flatMap(server -> server == Server.SQLITE
                        ? Stream.of(new At(server, Connection.TRANSACTION_SERIALIZABLE))
                        : Stream.of(RC, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)
                                .map(level -> new At(server, level)));
    }

    private interface Registration {
        void on(Connection connection, String resource, long token) throws SQLException;
    }

    private final String name = "book " + UUID.randomUUID();

    private void makeTables(At at) throws SQLException {
        at.server().fence().createTable(new DataSourceOf(at.server().url()));
        try (Connection connection = DriverManager.getConnection(at.server().url());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS book (name varchar(90) PRIMARY KEY, pages bigint)");
            statement.execute("INSERT INTO book VALUES ('" + name + "', 0)");
        }
    }

    private long pages(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pages FROM book WHERE name = '" + name + "'")) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    private void setPages(Connection connection, long pages) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE book SET pages = " + pages + " WHERE name = '" + name + "'");
        }
    }

    /** Registers, reads and writes as an application would: again and again, until it is committed. */
    private long committed(At at, Registration how, long token, Long pages) throws SQLException {
        try (Connection connection = at.begin()) {
            while (true) {
                try {
                    how.on(connection, name, token);
                    long seen = pages(connection);
                    if (pages != null) {
                        setPages(connection, pages);
                    }
                    connection.commit();
                    return seen;
                } catch (SQLException e) {
                    connection.rollback();
                    if (!FenceContract.mayBeRunAgain(e)) {
                        throw e;
                    }
                }
            }
        }
    }

    private long reader(At at, long token) throws SQLException {
        return committed(at, at.server().fence()::registerShared, token, null);
    }

    private void writer(At at, long token, long pages) throws SQLException {
        committed(at, at.server().fence()::register, token, pages);
    }

    private static CompletableFuture<Long> elsewhere(java.util.concurrent.Callable<Long> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return work.call();
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task, "elsewhere").start());
    }

    private void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, long newest) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StaleTokenException.class, e -> assertThat(e.newest()).isEqualTo(newest));
    }

    @ParameterizedTest
    @MethodSource("all")
    void aReaderIsRefusedBelowAWriterOnly(At at) throws Exception {
        makeTables(at);
        writer(at, 5, 1);
        refused(() -> reader(at, 4), 5);
        reader(at, 5);
        reader(at, 8);
        reader(at, 6);
        writer(at, 9, 2);
        refused(() -> reader(at, 8), 9);
        reader(at, 9);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aWriterIsRefusedBelowAReader(At at) throws Exception {
        makeTables(at);
        reader(at, 3);
        refused(() -> writer(at, 2, 1), 3);
        reader(at, 2);
        writer(at, 3, 1);
        refused(() -> reader(at, 2), 3);
        reader(at, 7);
        refused(() -> writer(at, 6, 2), 7);
        assertThat(reader(at, 7)).isEqualTo(1);
    }

    /** The registration of a rolled-back reader keeps no writer out. */
    @ParameterizedTest
    @MethodSource("all")
    void whatAReaderRollsBackIsNotRegistered(At at) throws Exception {
        makeTables(at);
        try (Connection connection = at.begin()) {
            at.server().fence().registerShared(connection, name, 9);
            connection.rollback();
        }
        writer(at, 1, 1);
    }

    /** Else readers would be one after the other for as long as each reads. */
    @ParameterizedTest
    @MethodSource("all")
    void readersBelowTheNewestDoNotWait(At at) throws Exception {
        org.assertj.core.api.Assumptions.assumeThat(at.sharesRows()).isTrue();
        makeTables(at);
        reader(at, 9);
        try (Connection one = at.begin();
                Connection two = at.begin()) {
            at.server().fence().registerShared(one, name, 8);
            assertThat(elsewhere(() -> {
                                at.server().fence().registerShared(two, name, 9);
                                return pages(two);
                            })
                            .get(A_MINUTE, TimeUnit.SECONDS))
                    .isZero();
            one.commit();
            two.commit();
        }
    }

    /** A writer that is paused between its registration and its commit is waited for, and what it commits is seen. */
    @ParameterizedTest
    @MethodSource("all")
    void aReaderWaitsForAnEarlierWriter(At at) throws Exception {
        makeTables(at);
        for (long token : new long[] {2, 4}) {
            try (Connection paused = at.begin()) {
                at.server().fence().register(paused, name, token);
                CompletableFuture<Long> reader = elsewhere(() -> reader(at, token + 1));
                assertThatThrownBy(() -> reader.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                setPages(paused, token);
                paused.commit();
                assertThat(reader.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(token);
            }
        }
    }

    /** A writer of the same token as the newest is in the middle of it: SQLite shows what was before, nobody sees half. */
    @ParameterizedTest
    @MethodSource("all")
    void aReaderThatChangesNothingWaitsForAWriter(At at) throws Exception {
        org.assertj.core.api.Assumptions.assumeThat(at.server()).isNotEqualTo(Server.SQLITE);
        makeTables(at);
        writer(at, 5, 1);
        try (Connection paused = at.begin()) {
            at.server().fence().register(paused, name, 5);
            CompletableFuture<Long> reader = elsewhere(() -> reader(at, 5));
            assertThatThrownBy(() -> reader.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            setPages(paused, 2);
            paused.commit();
            assertThat(reader.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(2);
        }
    }

    /** The work that a reader has seen stays as it is until the reader's transaction ends. */
    @ParameterizedTest
    @MethodSource("all")
    void aWriterWaitsForAReader(At at) throws Exception {
        org.assertj.core.api.Assumptions.assumeThat(at.server()).isNotEqualTo(Server.SQLITE);
        makeTables(at);
        reader(at, 5);
        for (long token : new long[] {5, 6}) {
            try (Connection paused = at.begin()) {
                at.server().fence().registerShared(paused, name, token);
                assertThat(pages(paused)).isEqualTo(token == 5 ? 0 : 6);
                CompletableFuture<Long> writer =
                        elsewhere(() -> committed(at, at.server().fence()::register, token + 1, token + 1));
                assertThatThrownBy(() -> writer.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                paused.commit();
                writer.get(A_MINUTE, TimeUnit.SECONDS);
            }
        }
    }

    /** The mistake that shows old data: to read, and then to register. */
    @ParameterizedTest
    @MethodSource("all")
    void aReaderThatReadBeforeAWriterIsNotLetOn(At at) throws Exception {
        boolean plainReadsLock = (at.server() == Server.MARIADB || at.server() == Server.MYSQL_DRIVER)
                && at.level() == Connection.TRANSACTION_SERIALIZABLE;
        boolean viewOfEachTable = at.server() == Server.H2 && at.level() == Connection.TRANSACTION_REPEATABLE_READ;
        org.assertj.core.api.Assumptions.assumeThat(at.level() == RC || plainReadsLock || viewOfEachTable)
                .isFalse();
        makeTables(at);
        reader(at, 1);
        try (Connection late = at.begin()) {
            pages(late);
            writer(at, 2, 7);
            assertThatThrownBy(() -> at.server().fence().registerShared(late, name, 3))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(FenceContract.mayBeRunAgain(e))
                                    .as(e.toString())
                                    .isTrue());
            late.rollback();
            at.server().fence().registerShared(late, name, 3);
            assertThat(pages(late)).isEqualTo(7);
            late.commit();
        }
    }

    /** Readers and writers that all believe to hold the lock: no deadlock, and no reader sees what an older writer made. */
    @ParameterizedTest
    @MethodSource("all")
    void readersNeverSeeAnOlderWritersWork(At at) throws Exception {
        makeTables(at);
        java.util.concurrent.atomic.AtomicLong tokens = new java.util.concurrent.atomic.AtomicLong();
        java.util.concurrent.atomic.AtomicInteger done = new java.util.concurrent.atomic.AtomicInteger();
        List<CompletableFuture<Long>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean writes = i == 0;
            all.add(elsewhere(() -> {
                for (int n = 0; n < 20; n++) {
                    long token = tokens.incrementAndGet();
                    try {
                        if (writes) {
                            writer(at, token, token);
                        } else {
                            long first = reader(at, token);
                            long second = reader(at, token);
                            assertThat(second).as("nothing older came between").isEqualTo(first);
                        }
                        done.incrementAndGet();
                    } catch (StaleTokenException e) {
                        assertThat(e.newest()).isGreaterThan(token);
                    }
                }
                return 0L;
            }));
        }
        for (CompletableFuture<Long> each : all) {
            each.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(done.get()).isPositive();
    }
}

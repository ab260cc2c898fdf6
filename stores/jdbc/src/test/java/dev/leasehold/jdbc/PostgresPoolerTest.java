package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.PostgresDialect;
import dev.leasehold.servers.PgBouncer;
import dev.leasehold.servers.PgPool;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/**
 * These tests are about PostgreSQL behind a pooler that lends sessions per transaction, with the driver's usual settings.
 */
@Tag("slow")
class PostgresPoolerTest {

    private static final int TIMES = 60;

    private static PostgresServer postgres;
    private static PostgresPooler pooler;

    @BeforeAll
    static void startServer() throws Exception {
        postgres = PostgresServer.start();
        pooler = new PostgresPooler(postgres.port(), 3);
    }

    @AfterAll
    static void stopServer() throws Exception {
        pooler.close();
        postgres.close();
    }

    private static String url() {
        return PostgresServer.url(pooler.port());
    }

    /** With PgBouncer 1.18: "prepared statement S_13 does not exist", after the fifth time. */
    @Test
    @DisplayName("Statements that the server keeps for another session are not asked for")
    void statementsOfAnotherSessionAreNotAskedFor() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Leasehold one = Leasehold.connect(url());
                Leasehold two = Leasehold.connect(url())) {
            List<Future<?>> running = new ArrayList<>();
            for (Leasehold client : List.of(one, two)) {
                running.add(threads.submit(() -> {
                    for (int i = 0; i < TIMES; i++) {
                        try (Lease lease = client.lock("pooled").acquire()) {
                            tokens.add(lease.token());
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tokens).hasSize(2 * TIMES).isSorted().doesNotHaveDuplicates();
    }

    /** Found by the battery: "prepared statement S_2 does not exist" in the first call of a process. */
    @Test
    @DisplayName("Nor in the first calls of a client, on connections that were borrowed before it saw the pooler")
    void firstCallsNameNoStatementsEither() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < 10; i++) {
                try (Leasehold client = Leasehold.connect(url() + "&leasehold.tables=first" + i + "_")) {
                    List<Future<?>> running = new ArrayList<>();
                    for (int thread = 0; thread < 4; thread++) {
                        DistributedSemaphore permits = client.semaphore("pooled-" + thread, 2);
                        running.add(threads.submit(() -> {
                            for (int time = 0; time < 8; time++) {
                                permits.acquire().close();
                            }
                            return null;
                        }));
                    }
                    for (Future<?> each : running) {
                        each.get();
                    }
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @DisplayName("connections of a user's pool keep statements again when they are given back")
    void connectionsGivenBackKeepStatementsAgain() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config);
                Leasehold client =
                        Leasehold.builder().store(JdbcStore.using(pool)).build()) {
            for (int i = 0; i < 10; i++) {
                client.lock("given").acquire().close();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.unwrap(PGConnection.class).getPrepareThreshold())
                        .isEqualTo(5);
            }
        }
    }

    @Test
    void aServerThatIsReachedDirectlyKeepsStatements() throws Exception {
        PostgresDialect dialect = new PostgresDialect();
        try (Connection direct = DriverManager.getConnection(postgres.url());
                Sql sql = new Sql(direct)) {
            assertThat(dialect.isThroughPooler(direct, sql)).isFalse();
        }
    }

    /** With PgBouncer our lock_timeout was in the application's sessions for good, and its UPDATE failed after 4 s. */
    @Test
    void nothingIsSetInSessionsThatAreOthersToo() throws Exception {
        try (PostgresServer own = serverWithDefaults();
                PostgresPooler another = new PostgresPooler(own.port(), 3)) {
            assertNothingIsSet(own, PostgresServer.url(another.port()), 3);
        }
    }

    @Test
    void nothingIsSetInSessionsOfPgBouncer() throws Exception {
        assumeTrue(PgBouncer.program().isPresent(), PgBouncer.VARIABLE);
        try (PostgresServer own = serverWithDefaults();
                PgBouncer another = PgBouncer.start(PgBouncer.program().orElseThrow(), own.port())) {
            assertNothingIsSet(own, another.url(), 12);
        }
    }

    /** It keeps a session for its next client (but of the database postgres), and has what was set in it discarded. */
    @Test
    void nothingIsSetInSessionsOfPgPool() throws Exception {
        assumeTrue(PgPool.program().isPresent(), PgPool.VARIABLE);
        try (PostgresServer own = serverWithDefaults();
                PgPool another = PgPool.start(PgPool.program().orElseThrow(), List.of(own.port()))) {
            run(own, "CREATE DATABASE application");
            assertNothingIsSet(own, another.url().replace("/postgres", "/application"), PgPool.CLIENTS);
        }
    }

    private static PostgresServer serverWithDefaults() throws SQLException {
        PostgresServer own = PostgresServer.start();
        run(own, "ALTER ROLE CURRENT_USER SET synchronous_commit = off");
        run(own, "ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'repeatable read'");
        return own;
    }

    private static void run(PostgresServer server, String order) throws SQLException {
        try (Connection admin = DriverManager.getConnection(server.url());
                Statement statement = admin.createStatement()) {
            statement.execute(order);
        }
    }

    private static void assertNothingIsSet(PostgresServer server, String url, int most) throws Exception {
        Set<Long> ours = sessionsOfClients(server, url);
        Map<Long, String> found = sessionsOfTheApplication(url, most);
        assertThat(found.values()).containsOnly("0 off repeatable read 0 channels");
        assertThat(found.keySet()).containsAnyElementsOf(ours);
    }

    /** Has clients take, wait for and release a lock; returns the server's sessions that they used. */
    private static Set<Long> sessionsOfClients(PostgresServer server, String url) throws Exception {
        try (Leasehold one = Leasehold.connect(url);
                Leasehold two = Leasehold.connect(url)) {
            for (int i = 0; i < 5; i++) {
                Lease held = one.lock("set").acquire();
                CompletableFuture<Lease> waiting = two.lock("set").acquireAsync();
                await().until(() -> one.locks("set").get(0).waiters().size() == 1);
                held.close();
                waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
            }
            try (Connection direct = DriverManager.getConnection(server.url());
                    Sql sql = new Sql(direct)) {
                return Set.copyOf(sql.all(
                        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%leasehold%' AND pid <> pg_backend_pid()",
                        row -> row.getLong(1)));
            }
        }
    }

    /** Returns what so many sessions are set to, by their numbers. */
    private static Map<Long, String> sessionsOfTheApplication(String url, int most) throws Exception {
        List<Connection> application = new ArrayList<>();
        Map<Long, String> found = new HashMap<>();
        for (int i = 0; i < most; i++) {
            Connection connection = DriverManager.getConnection(url);
            application.add(connection);
            connection.setAutoCommit(false);
            try (Sql sql = new Sql(connection)) {
                String set = sql.first(
                        "SELECT current_setting('lock_timeout') || ' ' || current_setting('synchronous_commit') || ' '"
                                + " || current_setting('default_transaction_isolation') || ' '"
                                + " || (SELECT COUNT(*) FROM pg_listening_channels()) || ' channels'",
                        row -> row.getString(1));
                found.put(sql.number("SELECT pg_backend_pid()"), set);
            }
        }
        for (Connection connection : application) {
            connection.close();
        }
        return found;
    }

    @Test
    void sessionLocksAreRefused() {
        try (Leasehold client = Leasehold.connect(url() + "&leasehold.sessionLocks=true")) {
            assertThatThrownBy(() -> client.lock("pooled").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("pooler in between");
        }
    }
}

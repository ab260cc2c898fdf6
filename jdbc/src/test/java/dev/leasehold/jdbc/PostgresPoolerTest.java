package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.PostgresDialect;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/**
 * These tests are about PostgreSQL behind a pooler that lends sessions per transaction, with the driver's usual settings.
 */
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

    @Test
    void sessionLocksAreRefused() {
        try (Leasehold client = Leasehold.connect(url() + "&leasehold.sessionLocks=true")) {
            assertThatThrownBy(() -> client.lock("pooled").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("pooler in between");
        }
    }
}

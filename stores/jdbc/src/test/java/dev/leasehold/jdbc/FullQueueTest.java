package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Findings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** PostgreSQL's queue of messages is full when a session that has listened keeps a transaction open for long. */
@Tag("slow")
class FullQueueTest {

    /** A page of the queue has room for one of them. */
    private static final String MESSAGE = "SELECT pg_notify('other', repeat('x', 7900))";

    @Test
    void aContestedLockIsReleasedWhileTheQueueIsFull() throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            withASmallQueue(server);
            try (Connection listening = DriverManager.getConnection(server.url());
                    Connection telling = DriverManager.getConnection(server.url());
                    Leasehold one = Leasehold.connect(server.url());
                    Leasehold two = Leasehold.connect(server.url())) {
                run(listening, "LISTEN other");
                listening.setAutoCommit(false);
                run(listening, "SELECT 1");
                assertThatThrownBy(() -> {
                            for (int i = 0; i < 100_000; i++) {
                                run(telling, MESSAGE);
                            }
                        })
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("54000"));
                assertThat(Findings.the("database-messages-full", Findings.examine(server.url()))
                                .what())
                        .contains("% full");
                for (int i = 0; i < 3; i++) {
                    Lease held = one.lock("contested").acquire();
                    CompletableFuture<Lease> waiting = two.lock("contested").acquireAsync();
                    await().until(() -> one.locks("contested").get(0).waiters().size() == 1);
                    assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
                    waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
                }
            }
        }
    }

    private static void withASmallQueue(PostgresServer server) throws Exception {
        try (Connection admin = DriverManager.getConnection(server.url())) {
            run(admin, "ALTER SYSTEM SET max_notify_queue_pages = 64");
        }
        server.kill();
        server.restart();
    }

    private static void run(Connection connection, String statement) throws SQLException {
        try (Statement running = connection.createStatement()) {
            running.execute(statement);
        }
    }
}

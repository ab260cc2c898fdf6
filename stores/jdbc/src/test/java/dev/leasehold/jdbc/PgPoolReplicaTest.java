package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.testtools.Findings.the;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import dev.leasehold.servers.PgPool;
import dev.leasehold.servers.PostgresReplica;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real pgpool-II sends reads to a replica that hears of nothing any more: {@link ReadsElsewhereTest} on a stand-in. */
@Tag("slow")
class PgPoolReplicaTest {

    @Test
    void theCauseIsNamedAndTheNextHasItsTurn() throws Exception {
        assumeTrue(PgPool.program().isPresent(), PgPool.VARIABLE);
        try (PostgresServer primary = PostgresServer.start();
                PostgresReplica replica = PostgresReplica.of(primary, primary.port());
                PgPool pool = PgPool.start(PgPool.program().orElseThrow(), List.of(primary.port(), replica.port()));
                LogLines log = new LogLines("dev.leasehold.jdbc", Level.WARNING);
                Leasehold holder = Leasehold.connect(primary.url());
                Leasehold next = Leasehold.connect(pool.url());
                Lease held = holder.lock("a").acquire()) {
            await().until(() -> isThere(replica, held));
            order(replica, "SELECT pg_wal_replay_pause()");
            CompletableFuture<Lease> waiting = next.lock("a").acquireAsync();
            await().until(() -> !log.lines.isEmpty());
            assertThat(log.lines).singleElement().asString().contains("sends reads to another server");
            assertThat(holder.locks("a").get(0).waiters()).hasSize(1);
            held.close();
            try (Lease given = waiting.get(A_MINUTE, TimeUnit.SECONDS)) {
                assertThat(given.token()).isGreaterThan(held.token());
            }
            assertThat(the("database-reads-elsewhere", next.examine()).what())
                    .contains("sends reads to another server");
        }
    }

    private static boolean isThere(PostgresReplica replica, Lease lease) {
        try {
            return Question.number(replica.url(), "SELECT COUNT(*) FROM leasehold_lock WHERE token = " + lease.token())
                    == 1;
        } catch (SQLException e) {
            return false; // Not even the table.
        }
    }

    private static void order(PostgresReplica replica, String order) throws SQLException {
        try (Connection admin = DriverManager.getConnection(replica.url());
                Statement statement = admin.createStatement()) {
            statement.execute(order);
        }
    }
}

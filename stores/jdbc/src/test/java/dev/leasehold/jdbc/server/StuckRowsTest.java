package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.jdbc.Question.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows that somebody else keeps locked, an administrator in an open transaction, say, cost no lease of another row. */
@Tag("slow")
class StuckRowsTest {

    private static final int STUCK = 20;

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void othersAreRenewedAndReleasedOnPostgres() throws Exception {
        othersAreRenewedAndReleased(
                POSTGRES.get().url(),
                "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%leasehold_lock%'");
    }

    @Test
    void othersAreRenewedAndReleasedOnMariaDb() throws Exception {
        othersAreRenewedAndReleased(
                MARIADB.get().url(),
                "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'");
    }

    /** Whoever waits for a row tries again until the store's time-out, which is longer than the test. */
    private void othersAreRenewedAndReleased(String url, String waiting) throws Exception {
        try (Leasehold client = Leasehold.connect(url + "&leasehold.storeTimeout=600000");
                Connection other = DriverManager.getConnection(url);
                Connection admin = DriverManager.getConnection(url)) {
            Lease one = client.lock(name + " one").acquire();
            Lease two = client.lock(name + " two").acquire();
            for (int i = 0; i < STUCK; i++) {
                client.lock(name + " stuck " + i).acquire().close();
            }
            other.setAutoCommit(false);
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED); // MariaDB would lock what it passes.
            number(
                    other,
                    "SELECT COUNT(*) FROM (SELECT 1 FROM leasehold_lock WHERE name LIKE '" + name
                            + " stuck%' FOR UPDATE) stuck");
            for (int i = 0; i < STUCK; i++) {
                var unused = client.lock(name + " stuck " + i).acquireAsync();
            }
            // Six of eight workers; a busy machine may show fewer at a time.
            await().until(() -> number(admin, waiting) >= 5);
            assertThat(one.extend(Duration.ofMinutes(2))).isGreaterThan(Duration.ofMinutes(1));
            assertThat(two.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(one.release()).isEqualTo(LeaseState.RELEASED);
            other.rollback();
        }
    }
}

package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Commits wait for a replica that is not there, and waiting for it is ended: PostgreSQL then answers success, with a
 * warning. A replica that is promoted does not have what was committed.
 */
@Tag("slow")
class SynchronousReplicaTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    /** What a client was told that it has been given; null where it has to ask whether that counts. */
    private record Told(LeaseId lease, @Nullable Validity validity) {}

    private final RealTime time = new RealTime();
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final List<Store> stores = new ArrayList<>();
    private final String lock = "lock-" + UUID.randomUUID();
    private final Store store = open("client");
    private volatile boolean cancelling = true;

    private Store open(String client) {
        return open(client, POSTGRES.get().url());
    }

    private Store open(String client, String url) {
        Signals signals = new Signals() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                told.add(new Told(grant.lease(), validity));
            }

            @Override
            public void doubt(@Nullable String doubted) {}
        };
        Store opened = JdbcStore.using(new DataSourceOf(url))
                .open(new StoreContext(client, "owner", "", time, Duration.ofSeconds(3), signals));
        stores.add(opened);
        return opened;
    }

    @BeforeEach
    void makeTables() throws Exception {
        loseNothing();
        acquire(store, "client", "first-" + lock);
    }

    @AfterEach
    void close() {
        stores.forEach(Store::close);
        time.close();
    }

    private static void loseReplica() throws Exception {
        setReplicas("nobody");
        await().until(() -> isWarned());
    }

    /** Ends each wait for the replica, as an operator may. */
    private AutoCloseable cancellations() {
        TimeSource.Timer first = time.schedule(Duration.ofMillis(50), this::cancelWaits);
        return () -> {
            cancelling = false;
            first.cancel();
        };
    }

    private void cancelWaits() {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        if (cancelling) {
            time.schedule(Duration.ofMillis(50), this::cancelWaits);
        }
    }

    private static void loseNothing() throws Exception {
        setReplicas("");
        await().until(() -> !isWarned());
    }

    private static void setReplicas(String names) throws SQLException {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.execute("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /** Returns whether a write is answered with a warning when it is given up. */
    private static boolean isWarned() throws SQLException {
        try (Connection admin = DriverManager.getConnection(POSTGRES.get().url());
                Statement statement = admin.createStatement()) {
            statement.setQueryTimeout(1);
            statement.execute("COMMENT ON DATABASE postgres IS 'written'");
            return statement.getWarnings() != null;
        }
    }

    private static Claim claim(String client, String lock) {
        return new Claim(new ClaimId(client, System.nanoTime()), lock, LEASE, 0, true);
    }

    private static LeaseId acquire(Store store, String client, String lock) {
        return ((ClaimAnswer.Granted) TestClient.get(store.claim(claim(client, lock)))).lease();
    }

    private static void assertUnknown(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcome()).as(e.getMessage()).isEqualTo(Outcome.UNKNOWN));
    }

    @Test
    void aClaimThatNoReplicaHasIsNotGranted() throws Exception {
        loseReplica();
        Claim claim = claim("client", lock);
        assertUnknown(() -> TestClient.get(store.claim(claim)));
        assertUnknown(() -> TestClient.get(store.claim(claim))); // Its row is there already.
    }

    @Test
    void aPermitThatNoReplicaHasIsNotGranted() throws Exception {
        Claim claim = new Claim(new ClaimId("client", 7), lock, 3, LEASE, false);
        loseReplica();
        try (AutoCloseable cancelled = cancellations()) {
            assertUnknown(() -> TestClient.get(store.claim(claim)));
            assertUnknown(() -> TestClient.get(store.claim(claim))); // It reads its own row.
        }
    }

    @Test
    void aReleaseThatNoReplicaHasIsNotKnown() throws Exception {
        LeaseId lease = acquire(store, "client", lock);
        loseReplica();
        assertUnknown(() -> TestClient.get(store.release(lease, Duration.ZERO)));
    }

    @Test
    void aRenewalThatNoReplicaHasDoesNotCount() throws Exception {
        LeaseId lease = acquire(store, "client", lock);
        loseReplica();
        assertUnknown(() -> TestClient.get(store.renew(lease, LEASE)));
    }

    @Test
    void renewalsAtOnceThatNoReplicaHasDoNotCount() throws Exception {
        List<LeaseId> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leases.add(acquire(store, "client", lock + i));
        }
        loseReplica();
        List<CompletionStage<RenewAnswer>> answers = new ArrayList<>();
        try (AutoCloseable cancelled = cancellations()) {
            leases.forEach(lease -> answers.add(store.renew(lease, LEASE)));
            answers.forEach(answer ->
                    assertThatThrownBy(() -> TestClient.get(answer)).isInstanceOf(StoreUnavailableException.class));
        }
    }

    @Test
    void whoHidesTheWarningIsRefused() throws Exception {
        loseReplica();
        Store deaf = open("deaf", POSTGRES.get().url() + "&options=-c%20client_min_messages=error");
        assertThatThrownBy(() -> acquire(deaf, "deaf", lock)).hasMessageContaining("client_min_messages");
    }

    /** The next in the queue reads what the release has written, and the replica does not have. */
    @Test
    void aHandOverThatNoReplicaHasDoesNotCount() throws Exception {
        Store second = open("second");
        LeaseId lease = acquire(store, "client", lock);
        Claim waiting = claim("second", lock);
        assertThat(TestClient.get(second.claim(waiting))).isInstanceOf(ClaimAnswer.Busy.class);
        loseReplica();
        try (AutoCloseable cancelled = cancellations()) {
            assertUnknown(() -> TestClient.get(store.release(lease, Duration.ZERO)));
            Told given = told.poll(A_MINUTE, TimeUnit.SECONDS);
            assertThat(given).isNotNull();
            assertThat(given.validity()).isNull();
            assertUnknown(() -> TestClient.get(second.claim(waiting)));
        }
        loseNothing();
        assertThat(TestClient.get(second.claim(waiting))).isInstanceOf(ClaimAnswer.Granted.class);
    }
}

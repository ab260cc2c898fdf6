package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.jdbc.JdbcStoreProvider;
import dev.leasehold.jdbc.SessionServer;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.FaultProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show what happens to the sessions that hold locks, and what must not happen to the locks. */
@Tag("slow")
class SessionLocksTest extends SessionFixture {

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    @DisplayName("a session that the server ends takes its leases along, and their holders learn of it")
    void aSessionThatTheServerEndsTakesItsLeasesAlong(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            Lease other = one.lock(name + " other", THREE_SECONDS).acquire();
            assertThat(server.isTaken(name)).isTrue();
            server.endSessionOf(name);
            waitUntil(() -> held.state() == LeaseState.LOST && other.state() == LeaseState.LOST);
            try (Lease next = two.lock(name).acquire();
                    Lease another = one.lock(name + " other").acquire()) {
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(another.token()).isGreaterThan(other.token());
            }
            assertThat(held.release()).isEqualTo(LeaseState.LOST);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void whoWaitsForAHolderThatHasDiedFindsOutByAsking(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
            Lease held = one.lock(name, longer).acquire();
            CompletableFuture<Lease> waiting = two.lock(name, THREE_SECONDS).acquireAsync();
            waitUntil(() -> two.locks(name).get(0).waiters().size() == 1);
            server.endSessionOf(name);
            try (Lease next = get(waiting)) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
            // Whatever the client does next finds out for all of its leases, long before one is due to be renewed.
            one.lock(name + " another").acquire().close();
            waitUntil(() -> held.state() == LeaseState.LOST);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    @DisplayName("a client that is cut off in silence knows before others have its lock, which the idle limit frees")
    void aClientCutOffInSilenceIsFreedByTheIdleLimit(SessionServer server) throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_500));
        try (FaultProxy proxy = FaultProxy.to(server.port());
                Leasehold cutOff = Leasehold.connect(server.sessionUrl(proxy.port()));
                Leasehold other = connect(server)) {
            Lease held = cutOff.lock(name, brief).acquire();
            AtomicBoolean believed = new AtomicBoolean(true);
            CompletableFuture<Lease> waiting =
                    other.lock(name, brief).acquireAsync().whenComplete((lease, e) -> believed.set(held.isValid()));
            proxy.blackHole();
            try (Lease next = get(waiting)) {
                assertThat(believed).isFalse();
                assertThat(held.state()).isEqualTo(LeaseState.LOST);
                assertThat(next.token()).isGreaterThan(held.token());
            }
            proxy.cut();
            proxy.letGo();
            try (Lease again = cutOff.lock(name).acquire()) {
                assertThat(again.isValid()).isTrue();
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aRenewalCountsFromBeforeItsAnswer(SessionServer server) throws Exception {
        Duration duration = Duration.ofMinutes(10);
        StoreContext context = new StoreContext("me", "me", "", time, Duration.ofSeconds(60), new NoSignals());
        try (FaultProxy proxy = FaultProxy.to(server.port());
                Store store = new JdbcStoreProvider()
                        .create(StoreUri.parse(server.sessionUrl(proxy.port())))
                        .open(context)) {
            Claim claim = new Claim(new ClaimId("me", 1), name, duration, 0, false);
            ClaimAnswer.Granted granted =
                    (ClaimAnswer.Granted) get(store.claim(claim).toCompletableFuture());
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletableFuture<RenewAnswer> renewing =
                    store.renew(granted.lease(), duration).toCompletableFuture();
            waitUntil(() -> proxy.holding() > 0);
            long answered = time.nanos();
            proxy.letGo();
            assertThat(get(renewing)).isInstanceOfSatisfying(RenewAnswer.Renewed.class, renewed -> {
                ClockReading sentAt = renewed.validity().sentAt();
                assertThat(answered - sentAt.nanos()).isNotNegative();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 500, 999, 1_000, 1_001, 30_000})
    void theIdleLimitIsLongerThanItsLease(long millis) {
        assertThat(HeldKeys.limitFor(Duration.ofMillis(millis))).isBetween(millis + 1, millis + 1_000);
    }

    /** Nothing else is sent meanwhile, and the lease would end after ten minutes. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aSessionThatEndsIsNoticedWithoutARenewal(SessionServer server) throws Exception {
        LockOptions unrenewed =
                LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10)).withAutoRenew(false);
        try (Leasehold one = connect(server)) {
            Lease held = one.lock(name, unrenewed).acquire();
            server.endSessionOf(name);
            waitUntil(() -> held.state() == LeaseState.LOST);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aRestartEndsAllLeasesAndTokensIncreaseThroughIt(SessionServer server) throws Exception {
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            Lease held = one.lock(name, THREE_SECONDS).acquire();
            server.restart().run();
            waitUntil(() -> held.state() == LeaseState.LOST);
            try (Lease next = two.lock(name).acquire()) {
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(one.lock(name).tryAcquire()).isEmpty();
            }
            one.lock(name).acquire().close();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void twoHundredLocksAtOnceTakeOneSession(SessionServer server) throws Exception {
        String patient = server.sessionUrl() + "&leasehold.storeTimeout=50000";
        try (Leasehold one = Leasehold.connect(patient);
                Leasehold two = Leasehold.connect(patient)) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));
            for (int i = 0; i < 200; i++) {
                held.add(one.lock(name + i, brief).acquireAsync());
            }
            for (CompletableFuture<Lease> lease : held) {
                get(lease);
            }
            for (int i = 0; i < 200; i++) {
                waiting.add(two.lock(name + i, THREE_SECONDS).acquireAsync());
            }
            await().during(Duration.ofSeconds(12)) // The session may be idle for eleven.
                    .until(() -> held.stream().allMatch(lease -> lease.join().state() != LeaseState.LOST));
            for (CompletableFuture<Lease> lease : held) {
                lease.join().releaseAsync();
            }
            for (CompletableFuture<Lease> lease : waiting) {
                get(lease).releaseAsync();
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aSessionMayBeIdleForItsLongestLeaseAndNoLonger(SessionServer server) throws Exception {
        Glass glass = new Glass(server.url());
        try (Leasehold client = Leasehold.builder()
                .store(JdbcStore.using(glass.dataSource()).withSessionLocks(true))
                .build()) {
            LockOptions longer = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
            Lease brief = client.lock(name).acquire();
            Sql pinned = new Sql(glass.pinned());
            assertThat(server.rules().idleMillis(pinned)).isBetween(30_000L, 31_000L);
            Lease lasting = client.lock(name + " lasting", longer).acquire();
            assertThat(server.rules().idleMillis(pinned)).isBetween(600_000L, 601_000L);
            lasting.close();
            waitUntil(() -> server.rules().idleMillis(pinned) <= 31_000L);
            brief.extend(Duration.ofMinutes(1));
            assertThat(server.rules().idleMillis(pinned)).isBetween(60_000L, 61_000L);
            brief.close();
        }
    }

    /** The answer to a claim may be lost, and the session with it, before the claim is repeated. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    @DisplayName("a claim that is repeated is not granted what an earlier session of its client has")
    void aRepeatedClaimIsNotGrantedWhatAnEarlierSessionHas(SessionServer server) throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            Glass glass = new Glass(server.sessionUrl(proxy.port()).replace(SessionServer.OPTION, ""));
            StoreContext context = new StoreContext("me", "me", "", time, Duration.ofMinutes(1), new NoSignals());
            try (Store store =
                    JdbcStore.using(glass.dataSource()).withSessionLocks(true).open(context)) {
                Claim claim = new Claim(new ClaimId("me", 1), name, Duration.ofMinutes(10), 0, false);
                ClaimAnswer first = get(store.claim(claim).toCompletableFuture());
                proxy.abandon();
                glass.pinned().abort(Runnable::run);
                assertThat(get(store.claim(claim).toCompletableFuture())).isInstanceOf(ClaimAnswer.Busy.class);
                LeaseId stray = ((ClaimAnswer.Granted) first).lease();
                assertThat(get(store.release(stray, Duration.ZERO).toCompletableFuture()))
                        .isEqualTo(ReleaseAnswer.NOT_HELD);
                assertThat(server.isTaken(name)).isTrue();
                server.endSessionOf(name);
                waitUntil(() -> !server.isTaken(name));
                ClaimAnswer second = get(store.claim(claim).toCompletableFuture());
                assertThat(((ClaimAnswer.Granted) second).lease().token())
                        .isGreaterThan(((ClaimAnswer.Granted) first).lease().token());
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void exclusionHoldsWhileSessionsAreEndedAgainAndAgain(SessionServer server) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<long[]> tokens = new ArrayList<>();
        try (Leasehold one = connect(server);
                Leasehold two = connect(server)) {
            List<CompletableFuture<Long>> all = new ArrayList<>();
            for (Leasehold client : List.of(one, two)) {
                all.add(CompletableFuture.supplyAsync(() -> {
                    DistributedLock lock = client.lock(name, THREE_SECONDS);
                    long done = 0;
                    while (!stop.get()) {
                        try (Lease lease = lock.acquire()) {
                            synchronized (tokens) {
                                tokens.add(new long[] {lease.token()});
                            }
                            done++;
                        } catch (LockException | InterruptedException e) {
                            // The session was ended just then.
                        }
                    }
                    return done;
                }));
            }
            for (int i = 0; i < 10; i++) {
                int enough;
                synchronized (tokens) {
                    enough = tokens.size() + 5;
                }
                waitUntil(() -> {
                    synchronized (tokens) {
                        return tokens.size() >= enough;
                    }
                });
                server.endSessionOf(name);
            }
            stop.set(true);
            for (CompletableFuture<Long> each : all) {
                assertThat(get(each)).isPositive();
            }
        }
        // Granted tokens are all different, and no lock stays behind.
        assertThat(tokens.stream().mapToLong(each -> each[0]).distinct().count())
                .isEqualTo(tokens.size());
        assertThat(server.isTaken(name)).isFalse();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void rowsOfHoldersThatDiedLongAgoAreRemoved(SessionServer server) throws Exception {
        String tables = "&leasehold.tables=old_";
        try (Leasehold client = Leasehold.connect(server.sessionUrl() + tables);
                Connection admin = DriverManager.getConnection(server.url());
                Statement statement = admin.createStatement()) {
            client.lock("a").acquire().close();
            statement.execute(
                    "INSERT INTO old_lock (namespace, name, last, client, counter, token, run_end, owner, ends)"
                            + " VALUES ('', 'dead', 1, 'gone', 1, 1, 1, 'gone', " + LockRow.StoredLease.OPEN + ")");
            int[] made = {0};
            waitUntil(() -> {
                client.lock("n" + made[0]++).acquire().close();
                return isGone(statement);
            });
        }
    }

    private static boolean isGone(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SELECT COUNT(*) FROM old_lock WHERE name = 'dead'")) {
            row.next();
            return row.getInt(1) == 0;
        }
    }
}

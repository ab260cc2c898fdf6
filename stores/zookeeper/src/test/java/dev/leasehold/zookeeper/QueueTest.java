package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Signals;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about the queue of a lock, as the server sees it: what it costs, what stays, and what comes first when
 * numbers run out.
 */
@Tag("slow")
class QueueTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String lock = "lock-" + UUID.randomUUID();
    private final List<Store> stores = new ArrayList<>();
    private final List<LeaseId> granted = new CopyOnWriteArrayList<>();
    private final AtomicLong claims = new AtomicLong();
    private final TestTime time = new TestTime();

    @AfterEach
    void closeAll() {
        stores.forEach(Store::close);
        time.close();
    }

    private Store open(String client) {
        Store store = ZOO.get()
                .store(60_000)
                .open(new StoreContext(client, "owner " + client, "", time, LONG, new Signals() {
                    @Override
                    public void granted(Grant grant, @Nullable Validity validity) {
                        if (validity == null) {
                            granted.add(grant.lease());
                        }
                    }

                    @Override
                    public void doubt(@Nullable String of) {}
                }));
        stores.add(store);
        return store;
    }

    private Claim claim(String client) {
        return new Claim(new ClaimId(client, claims.incrementAndGet()), lock, LONG, 0, true);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    private static LeaseId lease(ClaimAnswer answer) {
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ((ClaimAnswer.Granted) answer).lease();
    }

    private static long received() {
        return ZOO.get().server().serverStats().getPacketsReceived();
    }

    private static long sent() {
        return ZOO.get().server().serverStats().getPacketsSent();
    }

    /**
     * Packets that the server receives until a claim waits behind another that waits; then those that it receives and sends
     * from a release until the next waiter knows that it has the lock.
     */
    private long[] handOverWith(int waiters) throws Exception {
        Store store = open("c" + waiters);
        LeaseId held = lease(get(store.claim(claim("c" + waiters))));
        long[] cheapest = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
        for (int i = 0; i < 4; i++) {
            long before = received();
            assertThat(get(store.claim(claim("c" + waiters)))).isInstanceOf(ClaimAnswer.Busy.class);
            cheapest[0] = i == 0 ? cheapest[0] : Math.min(cheapest[0], received() - before);
        }
        List<CompletionStage<ClaimAnswer>> waiting = new ArrayList<>();
        for (int i = 4; i < waiters; i++) {
            waiting.add(store.claim(claim("c" + waiters)));
        }
        for (CompletionStage<ClaimAnswer> each : waiting) {
            assertThat(get(each)).isInstanceOf(ClaimAnswer.Busy.class);
        }
        // The first hand-over follows a holder that has not waited, and lists once. Then several, of which the cheapest
        // counts: pings of sessions may come in between.
        granted.clear();
        get(store.release(held, Duration.ZERO));
        await().until(() -> granted.size() == 1);
        for (int i = 1; i < Math.min(waiters, 6); i++) {
            int next = i + 1;
            long received = received();
            long sent = sent();
            assertThat(get(store.release(granted.get(i - 1), Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
            await().until(() -> granted.size() == next);
            cheapest[1] = Math.min(cheapest[1], received() - received);
            cheapest[2] = Math.min(cheapest[2], sent() - sent);
        }
        store.close();
        return cheapest;
    }

    @Test
    @DisplayName("One release wakes one of 500 waiters and costs as much as with 6")
    void oneReleaseWakesOneOf500Waiters() throws Exception {
        // A creation, a listing and a watch. Then a release and two small reads in one request; their answers, and one
        // event:
        // nobody lists, and nobody else is woken. So a cycle of acquire and release takes five requests.
        assertThat(handOverWith(6)).containsExactly(3, 2, 3);
        assertThat(handOverWith(500)).containsExactly(3, 2, 3);
    }

    @Test
    void theOrderHoldsWhereSequenceNumbersOverflow() throws Exception {
        Store store = open("c");
        get(store.release(lease(get(store.claim(claim("c")))), Duration.ZERO));
        ZOO.get().tree().setCversionPzxid(OneServer.LOCKS + lock, Integer.MAX_VALUE - 2, -1);
        LeaseId held = lease(get(store.claim(claim("c"))));
        List<Claim> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(claim("c"));
            ClaimAnswer answer = get(store.claim(waiting.get(i)));
            assertThat(answer).isInstanceOf(ClaimAnswer.Busy.class);
            assertThat(((ClaimAnswer.Busy) answer).place()).isEqualTo(i + 1);
        }
        assertThat(ZOO.get().nodes(lock)).anyMatch(node -> node.endsWith("2147483647"));
        long last = held.token();
        for (Claim next : waiting) {
            get(store.release(held, Duration.ZERO));
            await().until(() -> get(store.claim(next)) instanceof ClaimAnswer.Granted);
            held = lease(get(store.claim(next)));
            assertThat(held.token()).isGreaterThan(last);
            last = held.token();
        }
    }

    @Test
    void aTokenIsTheTransactionThatMadeTheNode() throws Exception {
        Store store = open("c");
        LeaseId held = lease(get(store.claim(claim("c"))));
        assertThat(held.token())
                .isEqualTo(ZOO.get().stat(lock, ZOO.get().nodes(lock).get(0)).getCzxid() << 6);
    }

    /**
     * A session that is new, and finds in the ensemble a node with the very id of its claim: left there by the session before,
     * and about to be deleted with it. Curator took it for its own, and two held the lock.
     */
    @Test
    @DisplayName("A node of an earlier session is never taken for one's own (CURATOR-604)")
    void anEarlierSessionsNodeIsNotOnesOwn_CURATOR_604() throws Exception {
        Claim claim = claim("c");
        ZOO.get().make(OneServer.LOCKS + lock);
        String left = ZOO.get()
                .probe
                .create(
                        OneServer.LOCKS + lock + '/' + NodeName.prefix(claim.id(), claim.share()),
                        new byte[0],
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL);
        Store store = open("c");
        assertThat(get(store.claim(claim))).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(ZOO.get().nodes(lock)).hasSize(2);
        ZOO.get().probe.delete(left, -1);
        await().until(() -> granted.size() == 1);
        assertThat(lease(get(store.claim(claim))).token())
                .isEqualTo(ZOO.get().stat(lock, ZOO.get().nodes(lock).get(0)).getCzxid() << 6);
    }

    /**
     * The same while a creation is looked for whose answer was lost: the session has ended in between, its node is still
     * there, and the server that is asked does not know yet that it must go.
     */
    @Test
    @DisplayName("a node is looked for only among those of the present session")
    void lostCreation_searchesThisSessionOnly_CURATOR_498() throws Exception {
        FaultProxy proxy = FaultProxy.to(ZOO.get().port());
        try {
            Claim claim = claim("c");
            ZOO.get().make(OneServer.LOCKS + lock);
            // Several, so that ours is not by chance the first that is looked at.
            List<String> others = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                others.add(ZOO.get()
                        .probe
                        .create(
                                OneServer.LOCKS + lock + '/' + NodeName.prefix(claim.id(), claim.share()),
                                new byte[0],
                                Ids.OPEN_ACL_UNSAFE,
                                CreateMode.EPHEMERAL_SEQUENTIAL));
            }
            Store store = Zoo.store("127.0.0.1:" + proxy.port(), 60_000)
                    .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()));
            stores.add(store);
            Claim warm = new Claim(new ClaimId("c", 1_000), "warm-" + lock, LONG, 0, false);
            lease(get(store.claim(warm)));
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletionStage<ClaimAnswer> claiming = store.claim(claim);
            await().until(() -> ZOO.get().nodes(lock).size() == 13);
            proxy.cut();
            proxy.letGo();
            ClaimAnswer answer = get(claiming);
            assertThat(answer).isInstanceOf(ClaimAnswer.Busy.class);
            assertThat(ZOO.get().nodes(lock)).hasSize(13);
            for (String other : others) {
                ZOO.get().probe.delete(other, -1);
            }
            await().until(() -> get(store.claim(claim)) instanceof ClaimAnswer.Granted);
            assertThat(lease(get(store.claim(claim))).token())
                    .isEqualTo(
                            ZOO.get().stat(lock, ZOO.get().nodes(lock).get(0)).getCzxid() << 6);
        } finally {
            proxy.close();
        }
    }

    /**
     * The end of the session reaches a claim that has asked for a confirmation, and sends it back to the place that it
     * came from.
     */
    @Test
    @DisplayName("A claim whose grant is to be confirmed when its session ends is made anew")
    void anUnconfirmedGrantIsMadeAnewAfterTheSession() throws Exception {
        Duration session = Duration.ofSeconds(10);
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = Zoo.store("127.0.0.1:" + proxy.port(), session.toMillis())
                    .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()));
            stores.add(store);
            Claim claim = claim("c");
            LeaseId first = lease(get(store.claim(claim)));
            proxy.refuse(true);
            proxy.cut();
            long end = System.nanoTime() + session.multipliedBy(2).dividedBy(5).toNanos();
            await().until(() -> System.nanoTime() - end > 0);
            CompletionStage<ClaimAnswer> again = store.claim(claim);
            ZOO.get().expire(ZOO.get().owner(lock));
            proxy.refuse(false);
            assertThat(lease(get(again)).token()).isGreaterThan(first.token());
        }
    }

    /** Its node is there until the server has removed it; a release in between must not say that it ended the lease. */
    @Test
    @DisplayName("a lease that ran out is not said to be released while its node is being removed")
    void release_afterLeaseRanOut_saysNotHeld() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = Zoo.store("127.0.0.1:" + proxy.port(), 60_000)
                    .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()));
            stores.add(store);
            Duration brief = Duration.ofMillis(300);
            long end = System.nanoTime() + brief.multipliedBy(2).toNanos();
            LeaseId held = lease(get(store.claim(new Claim(new ClaimId("c", 1), lock, brief, 0, true))));
            proxy.hold(FaultProxy.Way.REQUESTS);
            await().until(() -> System.nanoTime() - end > 0);
            assertThat(get(store.renew(held, brief))).isInstanceOf(RenewAnswer.Lost.class);
            CompletionStage<ReleaseAnswer> releasing = store.release(held, Duration.ZERO);
            proxy.letGo();
            assertThat(get(releasing)).isEqualTo(ReleaseAnswer.NOT_HELD);
            await().until(() -> ZOO.get().nodes(lock).isEmpty());
        }
    }

    /**
     * The report under this number could not be read when this was written. Of the faults that the list of them stands for, one
     * is left: waits that are measured by a wall clock.
     */
    @Test
    @DisplayName("a wall clock that is set changes neither waiting nor holding")
    void wallClockSet_changesNothing_CURATOR_678() throws Exception {
        Store holder = open("holder");
        LeaseId held = lease(get(holder.claim(claim("holder"))));
        Store store = open("c");
        Claim waiting = claim("c");
        assertThat(get(store.claim(waiting))).isInstanceOf(ClaimAnswer.Busy.class);
        for (long hours : new long[] {1, -2, 1}) {
            time.jumpWallClock(Duration.ofHours(hours));
            assertThat(get(store.claim(waiting))).isInstanceOf(ClaimAnswer.Busy.class);
            assertThat(ZOO.get().nodes(lock)).hasSize(2);
        }
        assertThat(get(holder.release(held, Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
        await().until(() -> !granted.isEmpty());
        assertThat(granted.get(0).claim()).isEqualTo(waiting.id());
    }

    @Test
    void aKeptLockOutlivesItsClient() throws Exception {
        LeaseId held = keepAndClose(Duration.ofMinutes(5));
        assertThat(ZOO.get().nodes(lock)).containsExactly(NodeName.KEEP + held.token());
        LockInfo seen = get(open("onlooker").inspect(NamePattern.of(lock))).get(0);
        assertThat(seen.holder().owner()).isEmpty();
        assertThat(seen.holder().token()).isEqualTo(held.token());
        assertThat(seen.holder().timeLeft()).isBetween(Duration.ofMinutes(2), Duration.ofMillis(300_001));
        ClaimAnswer answer = get(open("d").claim(claim("d")));
        assertThat(answer).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(((ClaimAnswer.Busy) answer).timeLeft()).isBetween(Duration.ofMinutes(2), Duration.ofMillis(300_001));
    }

    @Test
    @DisplayName("A lock that was kept by a dead client is cleared away by the next claim")
    void aKeptLockOfADeadClientIsClearedAway() throws Exception {
        LeaseId held = keepAndClose(Duration.ofSeconds(2));
        Claim claim = claim("d");
        Store store = open("d");
        await().until(() -> get(store.claim(claim)) instanceof ClaimAnswer.Granted);
        assertThat(ZOO.get().nodes(lock)).hasSize(1);
        assertThat(lease(get(store.claim(claim))).token()).isGreaterThan(held.token());
    }

    private LeaseId keepAndClose(Duration keep) throws Exception {
        Store store = open("c");
        LeaseId held = lease(get(store.claim(claim("c"))));
        get(store.release(held, keep));
        store.close();
        return held;
    }

    @Test
    void nothingIsLeftOfAClientThatHasClosed() throws Exception {
        Store store = open("leaver");
        lease(get(store.claim(claim("leaver"))));
        get(store.renew(lease(get(store.claim(new Claim(new ClaimId("leaver", 1), lock, LONG, 0, true)))), LONG));
        assertThat(ZOO.get().probe.getChildren("/it/leasehold/clients", false))
                .anyMatch(node -> node.startsWith("leaver-"));
        store.close();
        await().until(() -> ZOO.get().nodes(lock).isEmpty());
        await().until(() -> ZOO.get().probe.getChildren("/it/leasehold/clients", false).stream()
                .noneMatch(node -> node.startsWith("leaver-")));
        assertThat(ZOO.get().probe.exists(OneServer.LOCKS + lock, false)).isNotNull();
    }
}

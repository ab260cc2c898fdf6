package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests show when a claim is granted without a listing, and when it must not be: on a real server, and by numbers
 * alone.
 */
@Tag("slow")
class ImmediateSuccessorTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String lock = "lock-" + UUID.randomUUID();
    private final String path = OneServer.LOCKS + lock;
    private final List<Store> stores = new ArrayList<>();
    private final AtomicLong claims = new AtomicLong();
    private final TestTime time = new TestTime();

    @AfterEach
    void closeAll() {
        stores.forEach(Store::close);
        time.close();
    }

    private Store open(int port) {
        Store store = Zoo.store("127.0.0.1:" + port, 60_000)
                .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(20), new NoSignals()));
        stores.add(store);
        return store;
    }

    private Store open() {
        return open(ZOO.get().port());
    }

    private Claim claim(boolean queued) {
        return new Claim(new ClaimId("c", claims.incrementAndGet()), lock, LONG, 0, queued);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }

    private LeaseId acquire(Store store) throws Exception {
        ClaimAnswer answer = get(store.claim(claim(true)));
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ((ClaimAnswer.Granted) answer).lease();
    }

    private void cycle(Store store) throws Exception {
        assertThat(get(store.release(acquire(store), Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
    }

    /** A client that has had a lock to itself, for as many times as it takes: the next claim is sent without a listing. */
    private Store alone(int port) throws Exception {
        Store store = open(port);
        for (int i = 0; i < 3; i++) {
            cycle(store);
        }
        return store;
    }

    private Store alone() throws Exception {
        return alone(ZOO.get().port());
    }

    private String stranger() throws Exception {
        return ZOO.get()
                .probe
                .create(path + "/1-x-1-", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
    }

    private static int number(String node) {
        return Integer.parseInt(node.substring(node.length() - 10));
    }

    private interface Work {
        void run() throws Exception;
    }

    private static long requests(Work work) throws Exception {
        long before = ZOO.get().server().serverStats().getPacketsReceived();
        work.run();
        return ZOO.get().server().serverStats().getPacketsReceived() - before;
    }

    @Test
    void whoHasALockToItselfSendsTwoRequestsPerCycle() throws Exception {
        Store store = alone();
        assertThat(requests(() -> {
                    for (int i = 0; i < 100; i++) {
                        cycle(store);
                    }
                }))
                .isBetween(200L, 210L);
    }

    @Test
    void whoSharesALockListsBesideEachClaimAndNotAfterIt() throws Exception {
        Store one = alone();
        Store other = open();
        cycle(other);
        cycle(one);
        assertThat(requests(() -> {
                    for (int i = 0; i < 50; i++) {
                        cycle(one);
                        cycle(other);
                    }
                }))
                .isBetween(300L, 310L);
    }

    @Test
    void theNumbersOfAQueueCountCreationsOnlyAndBeginAt0() throws Exception {
        ZOO.get().make(path);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3; i++) {
                String node = stranger();
                assertThat(number(node)).isEqualTo(2 * i);
                ZOO.get().probe.create(path + "/" + i, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                ZOO.get().probe.delete(path + "/" + i, -1);
                ZOO.get().probe.delete(node, -1);
                ZOO.get().probe.setData(path, new byte[0], -1);
            }
            ZOO.get().probe.delete(path, -1);
            ZOO.get().probe.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        }
    }

    @Test
    void whoCameBetweenAndIsStillThereIsBeforeUs() throws Exception {
        Store store = alone();
        stranger();
        assertThat(get(store.claim(claim(true)))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    @Test
    void whoStandsInTheQueueAlreadyWhenWeReleaseIsBeforeUs() throws Exception {
        Store store = alone();
        LeaseId held = acquire(store);
        stranger();
        get(store.release(held, Duration.ZERO));
        assertThat(get(store.claim(claim(true)))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    @Test
    void whoOnlyFollowsItselfInVainGetsNothing() throws Exception {
        Store store = alone();
        stranger();
        for (int i = 0; i < 5; i++) {
            assertThat(get(store.claim(claim(false)))).isInstanceOf(ClaimAnswer.Busy.class);
            await().until(() -> ZOO.get().nodes(lock).size() == 1);
        }
    }

    @Test
    void whoCameBetweenAndHasLeftIsNotBeforeUs() throws Exception {
        Store store = alone();
        ZOO.get().probe.delete(stranger(), -1);
        cycle(store);
        cycle(store);
    }

    @Test
    void aLockThatIsKeptIsNotOurs() throws Exception {
        Store store = alone();
        get(store.release(acquire(store), Duration.ofMinutes(1)));
        assertThat(get(store.claim(claim(false)))).isInstanceOf(ClaimAnswer.Busy.class);
    }

    /** With the fewest transactions that it takes: the removal of our node is one of them, our creation another. */
    @Test
    @DisplayName("In a lock's node that was made anew the next number proves nothing")
    void theNextNumberInANewLocksNodeProvesNothing() throws Exception {
        Store store = alone();
        ZOO.get().probe.delete(path, -1);
        ZOO.get().probe.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        String first = stranger();
        String second = stranger();
        assertThat(number(stranger())).isEqualTo(2);
        assertThat(get(store.claim(claim(true)))).isInstanceOf(ClaimAnswer.Busy.class);
        assertThat(ZOO.get().nodes(lock)).hasSize(4).anyMatch(node -> node.startsWith("1-c-4-") && number(node) == 3);
        ZOO.get().probe.delete(first, -1);
        ZOO.get().probe.delete(second, -1);
    }

    @Test
    void aLocksNodeThatIsGoneIsMadeAnew() throws Exception {
        Store store = alone();
        ZOO.get().probe.delete(path, -1);
        cycle(store);
        assertThat(ZOO.get().nodes(lock)).isEmpty();
    }

    @Test
    void aCreationWhoseAnswerIsLostIsLookedForAndFoundOnce() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = alone(proxy.port());
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletionStage<ClaimAnswer> claiming = store.claim(claim(true));
            await().until(() -> ZOO.get().nodes(lock).size() == 1);
            String made = ZOO.get().nodes(lock).get(0);
            proxy.cut();
            proxy.letGo();
            assertThat(get(claiming)).isInstanceOf(ClaimAnswer.Granted.class);
            assertThat(ZOO.get().nodes(lock)).containsExactly(made);
        }
    }

    @Test
    @DisplayName("a claim that is withdrawn before its creation is answered leaves nothing")
    void withdrawal_beforeCreationAnswered_leavesNothing() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = alone(proxy.port());
            proxy.hold(FaultProxy.Way.ANSWERS);
            Claim claim = claim(true);
            CompletionStage<ClaimAnswer> claiming = store.claim(claim);
            await().until(() -> ZOO.get().nodes(lock).size() == 1);
            claiming.toCompletableFuture().cancel(false);
            CompletionStage<Void> gone = store.withdraw(lock, claim.id());
            proxy.letGo();
            get(gone);
            assertThat(ZOO.get().nodes(lock)).isEmpty();
        }
    }

    @Test
    void aSessionThatHasEndedIsFollowedByAListing() throws Exception {
        Store store = alone();
        LeaseId held = acquire(store);
        ZOO.get().expire(ZOO.get().owner(lock));
        await().until(() -> ZOO.get().nodes(lock).isEmpty());
        stranger();
        await().ignoreExceptions().until(() -> get(store.claim(claim(true))) instanceof ClaimAnswer.Busy);
        assertThat(get(store.release(held, Duration.ZERO))).isEqualTo(ReleaseAnswer.NOT_HELD);
    }

    // ---- by numbers ----------------------------------------------------------------------------------------------

    private static NodeName node(int number) {
        return new NodeName(
                NodeName.prefix(new ClaimId("c", 1), Claim.EXCLUSIVE) + String.format("%010d", number), number);
    }

    private Session session() throws Exception {
        return new Session(
                new ZooKeeper("127.0.0.1:" + ZOO.get().port(), 60_000, event -> {}),
                time,
                SerialExecutor.on(Runnable::run));
    }

    @Test
    @DisplayName("only the very next number follows, and only while the lock's node cannot have been made anew")
    void onlyTheVeryNextNumberFollows() throws Exception {
        Session in = session();
        Session later = session();
        ImmediateSuccessor all = new ImmediateSuccessor();
        all.left(in, "l", node(7), 1_000, true);
        assertThat(all.follows(in, "l", node(8), 1_011)).isTrue();
        assertThat(all.follows(in, "l", node(8), 1_011)).isFalse();
        all.left(in, "l", node(7), 1_000, true);
        assertThat(all.follows(in, "l", node(8), 1_012)).isFalse();
        all.left(in, "l", node(7), 1_000, true);
        assertThat(all.follows(in, "l", node(9), 1_003)).isFalse();
        all.left(in, "l", node(7), 1_000, true);
        assertThat(all.follows(in, "l", node(8), 999)).isFalse();
        all.left(in, "l", node(7), 1_000, true);
        assertThat(all.follows(in, "other", node(8), 1_002)).isFalse();
        assertThat(all.follows(later, "l", node(8), 1_002)).isFalse();
        all.left(in, "l", node(Integer.MAX_VALUE - 1), 1_000, true);
        assertThat(all.follows(in, "l", node(Integer.MAX_VALUE), 1_002)).isFalse();
        all.left(in, "l", node(-1), 1_000, true);
        assertThat(all.follows(in, "l", node(0), 1_002)).isFalse();
        in.handle.close();
        later.handle.close();
    }

    @Test
    @DisplayName("a listing is left out only where it has just proved superfluous in this session")
    void listing_leftOutOnlyWhereJustSuperfluous() throws Exception {
        Session in = session();
        Session later = session();
        ImmediateSuccessor all = new ImmediateSuccessor();
        assertThat(all.isLikely(in, "l")).isFalse();
        all.left(in, "l", node(0), 1_000, false);
        assertThat(all.isLikely(in, "l")).isFalse();
        assertThat(all.follows(in, "l", node(1), 1_002)).isTrue();
        all.left(in, "l", node(1), 1_002, true);
        assertThat(all.isLikely(in, "l")).isTrue();
        assertThat(all.isLikely(later, "l")).isFalse();
        in.handle.close();
        later.handle.close();
    }

    @Test
    void ofManyLocksTheLastOnesAreRemembered() throws Exception {
        Session in = session();
        ImmediateSuccessor all = new ImmediateSuccessor();
        for (int i = 0; i <= ImmediateSuccessor.MOST; i++) {
            all.left(in, "l" + i, node(1), 1_000, true);
        }
        assertThat(all.isLikely(in, "l0")).isFalse();
        assertThat(all.isLikely(in, "l1")).isTrue();
        assertThat(all.isLikely(in, "l" + ImmediateSuccessor.MOST)).isTrue();
        in.handle.close();
    }
}

package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.zookeeper.OpenStores.LEASE;
import static dev.leasehold.zookeeper.OpenStores.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.StaleTokenException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about permits and downgrades in the queue of a lock, as the server sees them. */
@Tag("slow")
class PermitsTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String lock = "lock-" + UUID.randomUUID();

    @RegisterExtension
    private final OpenStores stores = new OpenStores();

    private Store open(String client) {
        return stores.open(client, ZOO.get().store(60_000));
    }

    private Claim claim(String client, int share) {
        return stores.claim(client, lock, share);
    }

    private static ClaimAnswer.Granted hold(Store store, Claim claim) throws Exception {
        ClaimAnswer answer = get(store.claim(claim));
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return (ClaimAnswer.Granted) answer;
    }

    private Claim join(Store store, String client, int share) throws Exception {
        Claim claim = claim(client, share);
        assertThat(get(store.claim(claim))).isInstanceOf(ClaimAnswer.Busy.class);
        return claim;
    }

    /** Requests that the server receives from a release until the next waiter is granted and the one behind it watches. */
    private long handOverWith(int waiters) throws Exception {
        String client = "c" + waiters;
        Store store = open(client);
        List<ClaimAnswer.Granted> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(hold(store, claim(client, 3)));
        }
        List<CompletionStage<ClaimAnswer>> waiting = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            waiting.add(store.claim(claim(client, 3)));
        }
        for (CompletionStage<ClaimAnswer> each : waiting) {
            get(each);
        }
        stores.granted.clear();
        long cheapest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            int next = i + 1;
            long before = ZOO.get().server().serverStats().getPacketsReceived();
            get(store.release(
                    i < 3 ? held.get(i).lease() : stores.granted.get(i - 3).lease(), Duration.ZERO));
            await().until(() -> stores.granted.size() == next);
            long[] last = {before};
            await().until(() -> {
                long now = ZOO.get().server().serverStats().getPacketsReceived();
                boolean isQuiet = now == last[0];
                last[0] = now;
                return isQuiet;
            });
            cheapest = Math.min(cheapest, last[0] - before);
        }
        store.close();
        return cheapest;
    }

    /** The release; two reads and a write by the next; two reads by the one behind it, and one for each of three holders. */
    @Test
    void aReleaseCostsTheSameHoweverManyWait() throws Exception {
        assertThat(handOverWith(7)).isBetween(9L, 11L);
        assertThat(handOverWith(200)).isBetween(9L, 11L);
    }

    @Test
    void aStalePermitIsRefusedByTheFenceOfItsSlot() throws Exception {
        Store store = open("c");
        ClaimAnswer.Granted old = hold(store, claim("c", 2));
        hold(store, claim("c", 2));
        get(store.release(old.lease(), Duration.ZERO));
        ClaimAnswer.Granted next = hold(store, claim("c", 2));
        assertThat(next.slot()).isEqualTo(old.slot());
        try (CuratorFramework curator =
                CuratorFrameworkFactory.newClient("127.0.0.1:" + ZOO.get().port(), new RetryOneTime(100))) {
            curator.start();
            ZooKeeperFence fence = ZooKeeperFence.on(curator, "/printer-" + lock + "/fence-" + next.slot());
            fence.register(next.lease().token());
            assertThatThrownBy(() -> fence.register(old.lease().token())).isInstanceOf(StaleTokenException.class);
        }
    }

    /** A mutex that queued while a permit waited is granted after it, and its token is greater. */
    @Test
    void aMutexBehindAPermitHasTheGreaterToken() throws Exception {
        Store store = open("c");
        ClaimAnswer.Granted first = hold(store, claim("c", EXCLUSIVE));
        Claim permit = join(store, "c", 2);
        Claim mutex = join(store, "c", EXCLUSIVE);
        get(store.release(first.lease(), Duration.ZERO));
        await().until(() -> stores.isGranted(permit));
        ClaimAnswer.Granted held = hold(store, permit);
        get(store.release(held.lease(), Duration.ZERO));
        await().until(() -> stores.isGranted(mutex));
        assertThat(hold(store, mutex).lease().token())
                .isGreaterThan(held.lease().token());
    }

    /** The one that is stopped is a holder, and has a slot; the next one finds out when it asks again. */
    @Test
    void aPermitThatIsStoppedIsGivenASlotByTheNext() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = open("c");
            ClaimAnswer.Granted first = hold(store, claim("c", EXCLUSIVE));
            Store sleeper = stores.open("sleeper", Zoo.store("127.0.0.1:" + proxy.port(), 60_000));
            Claim asleep = join(sleeper, "sleeper", 3);
            Claim next = join(store, "c", 3);
            proxy.hold(FaultProxy.Way.ANSWERS);
            get(store.release(first.lease(), Duration.ZERO));
            await().until(() -> stores.isGranted(next));
            assertThat(hold(store, next).slot()).isEqualTo(1);
            assertThat(stores.isGranted(asleep)).isFalse();
            proxy.letGo();
            await().until(() -> stores.isGranted(asleep));
            assertThat(hold(sleeper, asleep).slot()).isZero();
        }
    }

    /** A permit's grant reserves no run of tokens, whatever a repetition asks for. */
    @Test
    void aRepetitionAsAMutexIsStillThePermit() throws Exception {
        Store store = open("c");
        Claim permit = claim("c", 2);
        ClaimAnswer.Granted first = hold(store, permit);
        ClaimAnswer.Granted again = hold(store, new Claim(permit.id(), lock, LEASE, 5, true));
        assertThat(again.lease()).isEqualTo(first.lease());
        assertThat(again.slot()).isEqualTo(first.slot());
        assertThat(again.spare()).isZero();
    }

    /** By then the client knows without a listing that its node is the first, but not its slot. */
    @Test
    void aPermitAfterMutexesOfItsClientHasASlot() throws Exception {
        Store store = open("c");
        for (int i = 0; i < 4; i++) {
            get(store.release(hold(store, claim("c", EXCLUSIVE)).lease(), Duration.ZERO));
        }
        assertThat(hold(store, claim("c", 2)).slot()).isZero();
    }

    /** Its client is gone. A single try is the first that finds it in its way. */
    @Test
    void aKeptPermitOfADeadClientIsClearedAwayByASingleTry() throws Exception {
        Store store = open("c");
        ClaimAnswer.Granted one = hold(store, claim("c", 2));
        get(store.release(one.lease(), Duration.ofMillis(300)));
        store.close();
        Store other = open("d");
        hold(other, claim("d", 2));
        await().until(() -> {
            Claim once = new Claim(stores.newId("d"), lock, 2, LEASE, false);
            return get(other.claim(once)) instanceof ClaimAnswer.Granted;
        });
        assertThat(ZOO.get().nodes(lock)).hasSize(2).noneMatch(NodeName::isKept);
    }

    /** Its name says which. */
    @Test
    void aKeptPermitKeepsItsOwnSlot() throws Exception {
        Store store = open("c");
        hold(store, claim("c", 3));
        ClaimAnswer.Granted second = hold(store, claim("c", 3));
        assertThat(second.slot()).isEqualTo(1);
        get(store.release(second.lease(), Duration.ofSeconds(40)));
        assertThat(ZOO.get().nodes(lock)).anyMatch(node -> node.startsWith("2-keep-3.1-"));
        assertThat(hold(store, claim("c", 3)).slot()).isEqualTo(2);
    }

    /** A third permit waits for its time to be over. */
    @Test
    void whoWaitsForAKeptPermitComesInAfterItsTime() throws Exception {
        Store store = open("c");
        ClaimAnswer.Granted one = hold(store, claim("c", 2));
        Store other = open("d");
        hold(other, claim("d", 2));
        get(store.release(one.lease(), Duration.ofMillis(1_500)));
        store.close();
        Claim waiting = join(other, "d", 2);
        await().until(() -> stores.isGranted(waiting));
        assertThat(hold(other, waiting).slot()).isZero();
    }

    @Test
    void theAnswerToADowngradeIsLostAndItIsFoundToBeOne() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = stores.open("c", Zoo.store("127.0.0.1:" + proxy.port(), 60_000));
            ClaimAnswer.Granted writer = hold(store, claim("c", EXCLUSIVE));
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletionStage<RenewAnswer> becoming = store.downgrade(writer.lease(), LEASE);
            await().until(() -> ZOO.get().nodes(lock).size() == 2);
            proxy.cut();
            proxy.letGo();
            assertThat(get(becoming)).isInstanceOf(RenewAnswer.Renewed.class);
            hold(open("d"), claim("d", UNLIMITED));
            get(store.release(writer.lease(), Duration.ZERO));
            assertThat(ZOO.get().nodes(lock))
                    .singleElement()
                    .satisfies(node -> assertThat(node).startsWith("2-all-d-"));
        }
    }

    @Test
    void nothingIsLeftOfADowngradedLeaseThatWasBroken() throws Exception {
        Store store = open("c");
        ClaimAnswer.Granted writer = hold(store, claim("c", EXCLUSIVE));
        get(store.downgrade(writer.lease(), LEASE));
        assertThat(get(open("operator").breakLease(lock, writer.lease().token())))
                .isTrue();
        await().until(() -> get(store.renew(writer.lease(), LEASE)) instanceof RenewAnswer.Lost);
        await().until(() -> ZOO.get().nodes(lock).isEmpty());
    }

    /** The mark that a node has become a reader's means nothing once that node is gone. */
    @Test
    void aLoneMarkOfADowngradeIsNobody() throws Exception {
        ZOO.get().make(OneServer.LOCKS + lock);
        String mark = OneServer.LOCKS + lock + '/' + NodeName.reading("1-c-1-0000000007");
        ZOO.get().probe.create(mark, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        hold(open("d"), claim("d", EXCLUSIVE));
        ZOO.get().probe.delete(mark, -1);
    }
}

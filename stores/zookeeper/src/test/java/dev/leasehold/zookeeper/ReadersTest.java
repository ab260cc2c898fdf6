package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.spi.Claim.EXCLUSIVE;
import static dev.leasehold.spi.Claim.UNLIMITED;
import static dev.leasehold.zookeeper.OpenStores.LEASE;
import static dev.leasehold.zookeeper.OpenStores.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about readers and writers in the queue of a lock, as the server sees them. */
@Tag("slow")
class ReadersTest {

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

    private static LeaseId lease(ClaimAnswer answer) {
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ((ClaimAnswer.Granted) answer).lease();
    }

    private LeaseId hold(Store store, String client, int share) throws Exception {
        return lease(get(store.claim(claim(client, share))));
    }

    private Claim join(Store store, String client, int share) throws Exception {
        Claim claim = claim(client, share);
        busy(store, claim);
        return claim;
    }

    private static ClaimAnswer.Busy busy(Store store, Claim claim) throws Exception {
        ClaimAnswer answer = get(store.claim(claim));
        assertThat(answer).isInstanceOf(ClaimAnswer.Busy.class);
        return (ClaimAnswer.Busy) answer;
    }

    private static void release(Store store, LeaseId lease) throws Exception {
        get(store.release(lease, Duration.ZERO));
    }

    /** The mark that a mutex's holder leaves says that the next is the first; after a reader it need not be. */
    @Test
    void aReaderThatLeavesDoesNotLetAWriterInBesideAnother() throws Exception {
        Store store = open("c");
        LeaseId writer = hold(store, "c", EXCLUSIVE);
        Claim one = join(store, "c", UNLIMITED);
        Claim two = join(store, "c", UNLIMITED);
        Claim next = join(store, "c", EXCLUSIVE);
        release(store, writer);
        await().until(() -> stores.isGranted(one) && stores.isGranted(two));
        release(store, lease(get(store.claim(two))));
        assertThat(busy(store, next).place()).isEqualTo(1);
        assertThat(stores.isGranted(next)).isFalse();
        release(store, lease(get(store.claim(one))));
        await().until(() -> stores.isGranted(next));
    }

    /** A client knows only of a writer's node that its own last one was the first. */
    @Test
    @DisplayName("A writer after readers of its client is not taken for the first")
    void aWriterAfterItsClientsReadersIsNotFirst() throws Exception {
        Store store = open("c");
        LeaseId held = hold(open("other"), "other", UNLIMITED);
        for (int i = 0; i < 4; i++) {
            release(store, hold(store, "c", UNLIMITED));
        }
        assertThat(busy(store, claim("c", EXCLUSIVE)).holder().token()).isEqualTo(held.token());
    }

    @Test
    void readersComeInWhileTheFirstOfThemSleeps() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = open("c");
            LeaseId writer = hold(store, "c", EXCLUSIVE);
            Store sleeper = stores.open("sleeper", Zoo.store("127.0.0.1:" + proxy.port(), 60_000));
            Claim asleep = join(sleeper, "sleeper", UNLIMITED);
            Claim two = join(store, "c", UNLIMITED);
            Claim three = join(store, "c", UNLIMITED);
            proxy.hold(FaultProxy.Way.ANSWERS);
            release(store, writer);
            await().until(() -> stores.isGranted(two) && stores.isGranted(three));
            assertThat(stores.isGranted(asleep)).isFalse();
            assertThat(ZOO.get().nodes(lock))
                    .as("the sleeper has not given up its place")
                    .anyMatch(node -> node.startsWith("2-all-sleeper-"));
            proxy.letGo();
            await().until(() -> stores.isGranted(asleep));
        }
    }

    /**
     * The writer waits for the last reader only, until that one has gone. So the server receives a deletion for each of
     * the others, and sends its answer and at most the news of it to the one that deleted; a client that was woken would
     * ask, and get an answer.
     */
    @Test
    void aReaderThatLeavesWakesNobodyWhileAnotherIsBehindIt() throws Exception {
        int watched = watches();
        Store store = open("c");
        List<LeaseId> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(hold(store, "c", UNLIMITED));
        }
        Claim writer = join(store, "c", EXCLUSIVE);
        for (int i = 0; i < 20; i++) {
            join(store, "c", UNLIMITED);
        }
        // A client watches the nodes of its own leases after a moment, and hears of their end; the 41st is the
        // writer's.
        await().until(() -> watches() - watched >= 41);
        long[] before = packets();
        for (int i = 0; i < 39; i++) {
            release(store, readers.get(i));
        }
        assertThat(packets()[0] - before[0]).isLessThan(2 * 39);
        assertThat(packets()[1] - before[1]).isLessThan(3 * 39);
        release(store, readers.get(39));
        await().until(() -> stores.isGranted(writer));
        assertThat(stores.granted).hasSize(1);
    }

    /** Two small reads for each of them, and no listing. */
    @Test
    void aWriterHandsOverToReadersWithoutAListing() throws Exception {
        int readers = 30;
        Store store = open("c");
        LeaseId first = hold(store, "c", EXCLUSIVE);
        Claim writer = join(store, "c", EXCLUSIVE);
        for (int i = 0; i < readers; i++) {
            join(store, "c", UNLIMITED);
        }
        release(store, first);
        await().until(() -> stores.isGranted(writer));
        LeaseId second = lease(get(store.claim(writer)));
        long[] before = packets();
        release(store, second);
        await().until(() -> stores.granted.size() == 1 + readers);
        assertThat(packets()[0] - before[0]).isBetween(1L + readers, 10L + readers);
    }

    private static int watches() {
        return ZOO.get().server().getZKDatabase().getDataTree().getWatchCount();
    }

    /** Returns how many the server has received and sent. */
    private static long[] packets() {
        return new long[] {
            ZOO.get().server().serverStats().getPacketsReceived(),
            ZOO.get().server().serverStats().getPacketsSent()
        };
    }

    /** A client that knows no readers makes nodes of the first layout, and they are exclusive. */
    @Test
    void anOlderClientsNodeIsExclusive() throws Exception {
        ZOO.get().make(OneServer.LOCKS + lock);
        String older = ZOO.get()
                .probe
                .create(
                        OneServer.LOCKS + lock + "/1-old-1-",
                        new byte[0],
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL);
        Store store = open("c");
        Claim reader = join(store, "c", UNLIMITED);
        assertThat(ZOO.get().nodes(lock)).anyMatch(node -> node.startsWith("2-all-c-"));
        ZOO.get().probe.delete(older, -1);
        await().until(() -> stores.isGranted(reader));
    }

    /** Two readers' leases were released, to be kept for different times; their clients are gone. */
    @Test
    void aWriterWaitsUntilNoReaderIsKeptAnyMore() throws Exception {
        Duration brief = Duration.ofMillis(300);
        Duration lasting = Duration.ofMillis(3_000);
        long start = System.nanoTime();
        keepReadersAndClose(brief, lasting, brief, brief);
        Store other = open("d");
        Claim writer = claim("d", EXCLUSIVE);
        await().until(() -> get(other.claim(writer)) instanceof ClaimAnswer.Granted);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(lasting);
        await().until(() -> ZOO.get().nodes(lock).size() == 1);
    }

    @Test
    void keptReadersAreShownWithoutAnOwner() throws Exception {
        keepReadersAndClose(LEASE, LEASE);
        LockInfo seen = get(open("onlooker").inspect(NamePattern.of(lock))).get(0);
        assertThat(seen.holders()).hasSize(2).allSatisfy(holder -> {
            assertThat(holder.share()).isEqualTo(UNLIMITED);
            assertThat(holder.owner()).isEmpty();
        });
    }

    private void keepReadersAndClose(Duration... times) throws Exception {
        Store store = open("c");
        List<LeaseId> readers = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            readers.add(hold(store, "c", UNLIMITED));
        }
        for (int i = 0; i < times.length; i++) {
            get(store.release(readers.get(i), times[i]));
        }
        store.close();
    }

    /** Asked again with another share, and made again in another session. */
    @Test
    void theShareOfTheFirstArrivalCounts() throws Exception {
        Store reader = open("reader");
        LeaseId read = hold(reader, "reader", UNLIMITED);
        Store store = open("c");
        Claim writer = join(store, "c", EXCLUSIVE);
        Claim other = new Claim(writer.id(), lock, UNLIMITED, LEASE, true);
        busy(store, other);
        String node = ZOO.get().nodes(lock).stream()
                .filter(each -> each.startsWith("1-"))
                .findFirst()
                .orElseThrow();
        ZOO.get().expire(ZOO.get().stat(lock, node).getEphemeralOwner());
        await().until(() ->
                ZOO.get().nodes(lock).stream().anyMatch(each -> each.startsWith("1-") && !each.equals(node)));
        busy(store, other);
        release(reader, read);
        await().until(() -> stores.isGranted(writer));
        assertThat(stores.granted)
                .singleElement()
                .satisfies(grant -> assertThat(grant.share()).isEqualTo(EXCLUSIVE));
    }

    @Test
    void aBreakEndsTheLeaseOfOneReaderAndNoWaiter() throws Exception {
        Store store = open("c");
        LeaseId one = hold(store, "c", UNLIMITED);
        LeaseId two = hold(store, "c", UNLIMITED);
        Claim writer = join(store, "c", EXCLUSIVE);
        Store operator = open("operator");
        LockInfo info = get(operator.inspect(NamePattern.of(lock))).get(0);
        assertThat(info.holders()).extracting(HolderInfo::token).containsExactly(one.token(), two.token());
        String waiting = ZOO.get().nodes(lock).stream()
                .filter(each -> each.startsWith("1-"))
                .findFirst()
                .orElseThrow();
        long token = ZOO.get().stat(lock, waiting).getCzxid() << 6;
        assertThat(get(operator.breakLease(lock, token))).isFalse();
        assertThat(get(operator.breakLease(lock, two.token()))).isTrue();
        assertThat(get(operator.breakLease(lock, two.token()))).isFalse();
        assertThat(get(store.renew(two, LEASE))).isInstanceOf(RenewAnswer.Lost.class);
        assertThat(get(store.renew(one, LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
        busy(store, writer);
        assertThat(get(operator.breakLease(lock, one.token()))).isTrue();
        await().until(() -> stores.isGranted(writer));
    }

    /** The answer to a creation is lost: the node is found, and no second one made. */
    @Test
    void aReadersNodeIsFoundWhoseCreationWasNotAnswered() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(ZOO.get().port())) {
            Store store = stores.open("c", Zoo.store("127.0.0.1:" + proxy.port(), 60_000));
            Claim warm = new Claim(new ClaimId("c", 1_000), "warm-" + lock, LEASE, 0, false);
            lease(get(store.claim(warm)));
            Store other = open("other");
            release(other, hold(other, "other", EXCLUSIVE));
            proxy.hold(FaultProxy.Way.ANSWERS);
            CompletionStage<ClaimAnswer> claiming = store.claim(claim("c", UNLIMITED));
            await().until(() -> ZOO.get().nodes(lock).size() == 1);
            String node = ZOO.get().nodes(lock).get(0);
            proxy.cut();
            proxy.letGo();
            assertThat(lease(get(claiming)).token())
                    .isEqualTo(ZOO.get().stat(lock, node).getCzxid() << 6);
            assertThat(ZOO.get().nodes(lock)).containsExactly(node);
        }
    }

    /** The same, and the session ends before the connection is back: the node is cleared away, a new one made. */
    @Test
    void aReadersNodeOfAnEndedSessionIsNoLongerInTheWay() throws Exception {
        Store store = open("c");
        LeaseId read = hold(store, "c", UNLIMITED);
        Store writing = open("w");
        Claim writer = join(writing, "w", EXCLUSIVE);
        String node = ZOO.get().nodes(lock).stream()
                .filter(each -> each.startsWith("2-"))
                .findFirst()
                .orElseThrow();
        ZOO.get().expire(ZOO.get().stat(lock, node).getEphemeralOwner());
        await().until(() -> stores.isGranted(writer));
        assertThat(get(store.renew(read, LEASE))).isInstanceOf(RenewAnswer.Lost.class);
    }
}

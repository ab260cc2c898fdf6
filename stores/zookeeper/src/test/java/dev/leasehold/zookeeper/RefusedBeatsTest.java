package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests are about a user who may make the nodes of locks, and not what confirms the session, or who may not make the
 * way to them. The client's time stands still where a test does not move it.
 */
@Tag("slow")
class RefusedBeatsTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String base = "/" + UUID.randomUUID();
    private final String locks = base + "/leasehold/locks";
    private final String clients = base + "/leasehold/clients";
    private final VirtualTime time = new VirtualTime();
    private Store store;

    @BeforeEach
    void open() throws Exception {
        String uri = "zookeeper://127.0.0.1:" + ZOO.get().port() + base + "?leasehold.sessionTimeout=60000";
        store = new ZooKeeperStoreProvider()
                .create(StoreUri.parse(uri))
                .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(10), new NoSignals()));
        ZOO.get().make(base);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void forbidChildren(String path) throws Exception {
        ZOO.get()
                .probe
                .setACL(path, Collections.singletonList(new ACL(Perms.READ | Perms.ADMIN, Ids.ANYONE_ID_UNSAFE)), -1);
    }

    private ClaimAnswer claim() throws Exception {
        return OpenStores.get(store.claim(new Claim(new ClaimId("c", 1), "a", OpenStores.LEASE, 0, true)));
    }

    private LeaseId acquire() throws Exception {
        ZOO.get().make(locks + "/a");
        return ((ClaimAnswer.Granted) claim()).lease();
    }

    /** Lets time pass in which nobody asks, and returns how many changes the server was asked for meanwhile. */
    private long changesIn(Duration duration) throws Exception {
        OpenStores.get(store.inspect(NamePattern.of("none")));
        long before = ZOO.get().tree().lastProcessedZxid;
        for (int i = 0; i < duration.toSeconds(); i++) {
            time.advance(Duration.ofSeconds(1));
            OpenStores.get(store.inspect(NamePattern.of("none")));
        }
        return ZOO.get().tree().lastProcessedZxid - before;
    }

    private void theRenewalIsRefusedOnce(LeaseId held) throws Exception {
        assertThatThrownBy(() -> OpenStores.get(store.renew(held, OpenStores.LEASE)))
                .cause()
                .isExactlyInstanceOf(LockException.class)
                .hasMessageContaining("NOAUTH")
                .hasMessageContaining(clients);
        // The next beat comes after a third of the session time-out, 20 s.
        assertThat(changesIn(Duration.ofSeconds(15))).isLessThanOrEqualTo(1);
    }

    @Test
    void aBeatThatIsRefusedEndsTheRenewal() throws Exception {
        ZOO.get().make(clients);
        forbidChildren(clients);
        LeaseId held = acquire();
        theRenewalIsRefusedOnce(held);
        ZOO.get().probe.setACL(clients, Ids.OPEN_ACL_UNSAFE, -1);
        assertThat(OpenStores.get(store.renew(held, OpenStores.LEASE))).isInstanceOf(RenewAnswer.Renewed.class);
    }

    @Test
    void theNodeOfClientsMayNotBeMade() throws Exception {
        LeaseId held = acquire();
        forbidChildren(base + "/leasehold");
        theRenewalIsRefusedOnce(held);
    }

    /** The path of a Curator client is missing, so nothing can be made below it. */
    @Test
    void aWayThatLeadsNowhereIsTriedOnce() throws Exception {
        String missing = "127.0.0.1:" + ZOO.get().port() + base + "/missing";
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(missing, new RetryOneTime(1))) {
            curator.start();
            curator.blockUntilConnected();
            store.close();
            store = ZooKeeperStore.using(curator)
                    .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(10), new NoSignals()));
            long before = ZOO.get().tree().lastProcessedZxid;
            CompletableFuture<List<LockInfo>> listing =
                    store.inspect(NamePattern.of("*")).toCompletableFuture();
            await().until(() -> {
                time.advance(Duration.ofMillis(20));
                return listing.isDone();
            });
            assertThat(listing).isCompletedWithValue(List.of());
            time.advance(Duration.ofSeconds(15));
            assertThat(ZOO.get().tree().lastProcessedZxid - before).isLessThan(20);
        }
    }

    @Test
    void aClaimThatNeedsABeatIsRefusedAndLeaves() throws Exception {
        ZOO.get().make(clients);
        acquire();
        forbidChildren(clients);
        time.advance(Duration.ofSeconds(45));
        assertThatThrownBy(this::claim).cause().isExactlyInstanceOf(LockException.class);
        await().until(() -> ZOO.get().probe.getChildren(locks + "/a", false).isEmpty());
    }

    @Test
    void theFirstStepThatMayNotBeMadeIsNamed() throws Exception {
        forbidChildren(base);
        assertThatThrownBy(this::claim)
                .cause()
                .isExactlyInstanceOf(LockException.class)
                .hasMessageContaining("NOAUTH")
                .hasMessageContaining("'" + base + "/leasehold'");
    }

    @Test
    void aQuotaThatIsReachedIsToldAndLetsGo() throws Exception {
        LeaseId held = acquire();
        ZOO.get().limit(base, 5);
        Claim second = new Claim(new ClaimId("c", 2), "a", OpenStores.LEASE, 0, true);
        assertThatThrownBy(() -> OpenStores.get(store.claim(second)))
                .cause()
                .isExactlyInstanceOf(LockException.class)
                .hasMessageContaining("QUOTAEXCEEDED; raise the quota; the lock was not acquired");
        assertThat(OpenStores.get(store.release(held, Duration.ZERO))).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(claim()).isInstanceOf(ClaimAnswer.Granted.class);
    }

    /** Its release is tried again now and then, and the end of the session is its last. */
    @Test
    void aReleaseThatIsRefusedIsRepeatedSeldom() throws Exception {
        ZOO.get().make(clients);
        LeaseId held = acquire();
        forbidChildren(locks + "/a");
        assertThatThrownBy(() -> OpenStores.get(store.release(held, Duration.ZERO)))
                .cause()
                .isExactlyInstanceOf(LockException.class)
                .hasMessageContaining(locks + "/a");
        assertThat(changesIn(Duration.ofSeconds(15))).isLessThanOrEqualTo(6);
        ZOO.get().probe.setACL(locks + "/a", Ids.OPEN_ACL_UNSAFE, -1);
        changesIn(Duration.ofSeconds(10));
        assertThat(ZOO.get().probe.getChildren(locks + "/a", false)).isEmpty();
    }

    /** A release that waited for the client's timer was never made, because the timer ends with the client. */
    @Test
    void aReleaseThatIsRefusedGoesOnAfterTheEnd() throws Exception {
        ZOO.get().make(clients);
        String within = "127.0.0.1:" + ZOO.get().port() + base;
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(within, new RetryOneTime(1))) {
            curator.start();
            curator.blockUntilConnected();
            store.close();
            store = ZooKeeperStore.using(curator)
                    .open(new StoreContext("c", "c", "", time, Duration.ofSeconds(10), new NoSignals()));
            LeaseId held = acquire();
            forbidChildren(locks + "/a");
            assertThatThrownBy(() -> OpenStores.get(store.release(held, Duration.ZERO)))
                    .cause()
                    .isExactlyInstanceOf(LockException.class);
            store.close();
            ZOO.get().probe.setACL(locks + "/a", Ids.OPEN_ACL_UNSAFE, -1);
            await().until(() -> ZOO.get().probe.getChildren(locks + "/a", false).isEmpty());
        }
    }
}

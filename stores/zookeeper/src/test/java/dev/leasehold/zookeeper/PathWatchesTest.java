package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.zookeeper.OpenStores.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Store;
import dev.leasehold.testtools.Started;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show how many watchers ZooKeeper's client has to keep for us. */
@Tag("slow")
class PathWatchesTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();

    @RegisterExtension
    private final OpenStores stores = new OpenStores();

    @SuppressWarnings("unchecked")
    private static int watchers(CuratorFramework curator) throws Exception {
        ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
        Method managerOf = ZooKeeper.class.getDeclaredMethod("getWatchManager");
        managerOf.setAccessible(true);
        Object manager = managerOf.invoke(handle);
        Method watchesOf = manager.getClass().getDeclaredMethod("getDataWatches");
        watchesOf.setAccessible(true);
        Map<String, Set<?>> watches = (Map<String, Set<?>>) watchesOf.invoke(manager);
        synchronized (watches) {
            return watches.entrySet().stream()
                    .filter(each -> each.getKey().startsWith(OneServer.LOCKS))
                    .mapToInt(each -> each.getValue().size())
                    .sum();
        }
    }

    /** The store alone: it does not ask again by itself, so a waiter that hears nothing is never let in. */
    @Test
    void timedAttemptsLeaveOneWatcherForAllOfThem() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + ZOO.get().port(), 60_000, 5_000, new RetryOneTime(10))) {
            curator.start();
            Store holder = stores.open("holder", ZOO.get().store(60_000));
            Claim first = stores.claim("holder", name, Claim.EXCLUSIVE);
            LeaseId held = ((ClaimAnswer.Granted) get(holder.claim(first))).lease();
            Store store = stores.open("c", ZooKeeperStore.using(curator.usingNamespace("it")));
            for (int i = 0; i < 30; i++) {
                Claim attempt = stores.claim("c", name, Claim.EXCLUSIVE);
                assertThat(get(store.claim(attempt))).isInstanceOf(ClaimAnswer.Busy.class);
                get(store.withdraw(name, attempt.id()));
            }
            await().untilAsserted(() -> assertThat(watchers(curator)).isEqualTo(1));
            Claim waiting = stores.claim("c", name, Claim.EXCLUSIVE);
            assertThat(get(store.claim(waiting))).isInstanceOf(ClaimAnswer.Busy.class);
            get(holder.release(held, Duration.ZERO));
            await().until(() -> stores.isGranted(waiting));
            store.close();
        }
    }
}

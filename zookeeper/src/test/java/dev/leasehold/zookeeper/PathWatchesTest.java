package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.testkit.Started;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show how many watchers ZooKeeper's client has to keep for us. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PathWatchesTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();

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

    @Test
    void timedAttemptsLeaveOneWatcherForAllOfThem() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                        "127.0.0.1:" + ZOO.get().port(), 60_000, 5_000, new RetryOneTime(10));
                Leasehold holder =
                        Leasehold.builder().store(ZOO.get().store(60_000)).build();
                Lease held = holder.lock(name).acquire()) {
            curator.start();
            try (Leasehold client = Leasehold.builder()
                    .store(ZooKeeperStore.using(curator.usingNamespace("it")))
                    .build()) {
                DistributedLock lock = client.lock(name);
                for (int i = 0; i < 30; i++) {
                    assertThat(lock.tryAcquire(Duration.ofMillis(50))).isEmpty();
                }
                await().untilAsserted(() -> assertThat(watchers(curator)).isEqualTo(1));
                CompletableFuture<Lease> waiting = lock.acquireAsync();
                await().until(() -> ZOO.get().nodes(name).size() == 2);
                held.close();
                waiting.get(3, TimeUnit.SECONDS).close();
            }
        }
    }
}

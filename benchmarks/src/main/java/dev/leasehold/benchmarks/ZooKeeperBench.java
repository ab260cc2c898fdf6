package dev.leasehold.benchmarks;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.zookeeper.ZooKeeperStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Locks in ZooKeeper beside Curator's mutex, and beside a bare creation and deletion that locks nothing: {@code cycles} counts
 * uncontended cycles per second, {@code hand-over} what a hand-over costs the server. The server is a process of its own; the
 * peers take turns of half a second in one run, and only their ratios mean anything.
 */
public final class ZooKeeperBench {

    /** With less, the just-in-time compiler takes more of the two processors than what is measured. */
    private static final int WARM_UPS = 8;

    private interface Cycle {
        void run() throws Exception;
    }

    private record Peer(String name, Cycle cycle, double[] perSecond) {}

    private ZooKeeperBench() {}

    public static void main(String[] args) throws Exception {
        Path directory = java.nio.file.Files.createTempDirectory("leasehold-bench");
        try (ZooKeeperProcess server = new ZooKeeperProcess(directory)) {
            if (args.length > 0 && args[0].equals("hand-over")) {
                for (int waiters : new int[] {10, 100}) {
                    print("Leasehold", waiters, handOver(server, waiters, ZooKeeperBench::leaseholds));
                    print("Curator", waiters, handOver(server, waiters, ZooKeeperBench::mutexes));
                }
            } else {
                cycles(server, args.length > 1 ? Integer.parseInt(args[1]) : 15);
            }
        }
        System.exit(0);
    }

    // ---- uncontended ---------------------------------------------------------------------------------------------

    private static void cycles(ZooKeeperProcess server, int rounds) throws Exception {
        ZooKeeper bare = new ZooKeeper(server.address(), 30_000, event -> {});
        bare.create("/bare", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        CuratorFramework curator = curator(server);
        InterProcessMutex mutex = new InterProcessMutex(curator, "/mutex");
        Leasehold leasehold = Leasehold.connect("zookeeper://" + server.address());
        DistributedLock lock = leasehold.lock("lock");
        List<Peer> peers = List.of(
                new Peer("bare create + delete", () -> cycle(bare), new double[rounds]),
                new Peer("Curator's mutex", () -> cycle(mutex), new double[rounds]),
                new Peer("Leasehold", () -> cycle(lock), new double[rounds]));
        for (int warmUp = 0; warmUp < WARM_UPS; warmUp++) {
            for (Peer peer : peers) {
                perSecond(peer.cycle(), Duration.ofSeconds(1));
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (Peer peer : peers) {
                peer.perSecond()[round] = perSecond(peer.cycle(), Duration.ofMillis(500));
            }
        }
        double[] mine = peers.get(2).perSecond();
        for (Peer peer : peers) {
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                ratios[round] = mine[round] / peer.perSecond()[round];
            }
            System.out.printf(
                    "%-22s %8.0f cycles/s   Leasehold is %.2f times that in the same round (medians)%n",
                    peer.name(), median(peer.perSecond()), median(ratios));
        }
        leasehold.close();
        curator.close();
        bare.close();
    }

    private static void cycle(ZooKeeper bare) throws Exception {
        bare.delete(bare.create("/bare/n-", new byte[40], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL), -1);
    }

    private static void cycle(InterProcessMutex mutex) throws Exception {
        mutex.acquire();
        mutex.release();
    }

    private static void cycle(DistributedLock lock) throws Exception {
        lock.acquire().release();
    }

    private static double perSecond(Cycle cycle, Duration duration) throws Exception {
        long start = System.nanoTime();
        long end = start + duration.toNanos();
        long done = 0;
        long now = start;
        while (now - end < 0) {
            cycle.run();
            done++;
            now = System.nanoTime();
        }
        return done * 1e9 / (now - start);
    }

    private static double median(double[] of) {
        double[] sorted = of.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static CuratorFramework curator(ZooKeeperProcess server) {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
        curator.start();
        return curator;
    }

    // ---- hand-over -----------------------------------------------------------------------------------------------

    /** Holds a lock, has so many others wait for it, and lets each have it for a moment once the latch is open. */
    private interface Crowd {
        AutoCloseable gather(CuratorFramework curator, int waiters, CountDownLatch open, CountDownLatch served)
                throws Exception;
    }

    private static Map<String, Long> handOver(ZooKeeperProcess server, int waiters, Crowd crowd) throws Exception {
        try (CuratorFramework curator = curator(server)) {
            CountDownLatch open = new CountDownLatch(1);
            CountDownLatch served = new CountDownLatch(waiters);
            try (AutoCloseable gathered = crowd.gather(curator, waiters, open, served)) {
                Map<String, Long> before = server.counters();
                open.countDown();
                served.await();
                Map<String, Long> after = server.counters();
                after.replaceAll((counter, value) -> value - before.getOrDefault(counter, 0L));
                return after;
            }
        }
    }

    private static AutoCloseable leaseholds(
            CuratorFramework curator, int waiters, CountDownLatch open, CountDownLatch served) throws Exception {
        List<Leasehold> clients = new ArrayList<>();
        Leasehold first =
                Leasehold.builder().store(ZooKeeperStore.using(curator)).build();
        clients.add(first);
        Lease held = first.lock("hand-over").acquire();
        for (int i = 1; i <= waiters; i++) {
            Leasehold client =
                    Leasehold.builder().store(ZooKeeperStore.using(curator)).build();
            clients.add(client);
            client.lock("hand-over").acquireAsync().whenComplete((lease, failure) -> {
                if (failure != null) {
                    failure.printStackTrace();
                } else {
                    lease.releaseAsync();
                }
                served.countDown();
            });
            awaitNodes(curator, "/leasehold/locks/hand-over", i + 1);
        }
        daemon(() -> {
            open.await();
            held.release();
        });
        return () -> clients.forEach(Leasehold::close);
    }

    private static AutoCloseable mutexes(
            CuratorFramework curator, int waiters, CountDownLatch open, CountDownLatch served) throws Exception {
        CountDownLatch acquired = new CountDownLatch(1);
        daemon(() -> {
            InterProcessMutex first = new InterProcessMutex(curator, "/hand-over");
            first.acquire();
            acquired.countDown();
            open.await();
            first.release();
        });
        acquired.await();
        for (int i = 1; i <= waiters; i++) {
            daemon(() -> {
                InterProcessMutex mutex = new InterProcessMutex(curator, "/hand-over");
                mutex.acquire();
                mutex.release();
                served.countDown();
            });
            awaitNodes(curator, "/hand-over", i + 1);
        }
        return () -> {};
    }

    private static void awaitNodes(CuratorFramework curator, String path, int number) throws Exception {
        while (curator.checkExists().forPath(path).getNumChildren() < number) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void daemon(Cycle task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void print(String name, int waiters, Map<String, Long> counted) {
        StringBuilder line = new StringBuilder(String.format("%-10s %4d waiters, per hand-over:", name, waiters));
        counted.forEach((counter, value) -> line.append(String.format("  %s %.1f", counter, value / (double) waiters)));
        System.out.println(line);
    }
}

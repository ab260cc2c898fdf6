package dev.leasehold.benchmarks;

import static dev.leasehold.benchmarks.report.Metric.AT_ONCE;
import static dev.leasehold.benchmarks.report.Metric.AT_ONCE_AFTER;
import static dev.leasehold.benchmarks.report.Metric.BYTES;
import static dev.leasehold.benchmarks.report.Metric.CLIENT;
import static dev.leasehold.benchmarks.report.Metric.CLIENT_CORE;
import static dev.leasehold.benchmarks.report.Metric.ENDLESS;
import static dev.leasehold.benchmarks.report.Metric.FIRST;
import static dev.leasehold.benchmarks.report.Metric.FIRST_ALL;
import static dev.leasehold.benchmarks.report.Metric.FIRST_CPU;
import static dev.leasehold.benchmarks.report.Metric.GAP;
import static dev.leasehold.benchmarks.report.Metric.HAND_OVER_50;
import static dev.leasehold.benchmarks.report.Metric.HAND_OVER_99;
import static dev.leasehold.benchmarks.report.Metric.HEAP;
import static dev.leasehold.benchmarks.report.Metric.HELD;
import static dev.leasehold.benchmarks.report.Metric.LEFT;
import static dev.leasehold.benchmarks.report.Metric.MOVED_PROCESS;
import static dev.leasehold.benchmarks.report.Metric.MOVED_RATE;
import static dev.leasehold.benchmarks.report.Metric.MOVED_THREAD;
import static dev.leasehold.benchmarks.report.Metric.RATE;
import static dev.leasehold.benchmarks.report.Metric.RATE_AFTER;
import static dev.leasehold.benchmarks.report.Metric.RATE_BEFORE;
import static dev.leasehold.benchmarks.report.Metric.READER_MAX;
import static dev.leasehold.benchmarks.report.Metric.RENEWAL;
import static dev.leasehold.benchmarks.report.Metric.REQUESTS;
import static dev.leasehold.benchmarks.report.Metric.SERVER;
import static dev.leasehold.benchmarks.report.Metric.SERVER_CORE;
import static dev.leasehold.benchmarks.report.Metric.SILENCE;
import static dev.leasehold.benchmarks.report.Metric.SPREAD;
import static dev.leasehold.benchmarks.report.Metric.WAIT_50;
import static dev.leasehold.benchmarks.report.Metric.WAIT_99;
import static dev.leasehold.benchmarks.report.Metric.WAIT_999;
import static dev.leasehold.benchmarks.report.Metric.WAIT_MAX;
import static dev.leasehold.benchmarks.report.Metric.WRITER_99;
import static dev.leasehold.benchmarks.report.Metric.WRITER_MAX;

import dev.leasehold.benchmarks.Workload.Group;
import dev.leasehold.benchmarks.Workload.Mode;
import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.server.StoreKind;
import dev.leasehold.benchmarks.worker.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The catalog has all workloads, in the order in which they are run and stand on the page. */
final class Catalog {

    private static final List<Metric> FREE = List.of(RATE, WAIT_50, WAIT_99, CLIENT, SERVER, BYTES, REQUESTS);
    private static final List<Metric> ONE_LOCK = List.of(
            RATE,
            WAIT_50,
            WAIT_99,
            WAIT_999,
            WAIT_MAX,
            CLIENT,
            SERVER,
            BYTES,
            REQUESTS,
            MOVED_THREAD,
            MOVED_PROCESS,
            SPREAD);
    private static final List<Metric> HAND_OVER = List.of(
            MOVED_RATE, RATE, HAND_OVER_50, HAND_OVER_99, WAIT_99, WAIT_MAX, CLIENT, SERVER, BYTES, REQUESTS, SPREAD);
    private static final List<Metric> PERMITS = List.of(
            RATE,
            WAIT_50,
            WAIT_99,
            WAIT_MAX,
            AT_ONCE,
            CLIENT,
            SERVER,
            BYTES,
            REQUESTS,
            MOVED_THREAD,
            MOVED_PROCESS,
            SPREAD);
    private static final List<Metric> READERS = List.of(
            RATE,
            WAIT_50,
            WAIT_99,
            WRITER_99,
            WRITER_MAX,
            READER_MAX,
            AT_ONCE,
            CLIENT,
            SERVER,
            BYTES,
            REQUESTS,
            SPREAD);
    private static final List<Metric> KILLED_HALF =
            List.of(SILENCE, RATE_BEFORE, RATE_AFTER, AT_ONCE, AT_ONCE_AFTER, WRITER_MAX, LEFT, ENDLESS);

    private static final Duration NEAR = Duration.ZERO;
    private static final Duration FAR = Duration.ofMillis(1);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(5);

    private final List<Workload> all = new ArrayList<>();

    private Catalog() {}

    /** Returns all workloads. */
    static List<Workload> all() {
        Catalog catalog = new Catalog();
        catalog.main();
        catalog.shared();
        catalog.more();
        catalog.scaling();
        return catalog.all;
    }

    private void main() {
        free("one-thread", "one thread, a free lock", Shape.mutex(1, 1, 1));
        free("16-keys", "16 threads of one process, 16 free locks", Shape.mutex(1, 16, 16));
        Peer[] contending = {
            Peer.BARE_QUEUE, Peer.LEASEHOLD, Peer.SPRING, Peer.SPRING_PUBSUB, Peer.REDISSON, Peer.REDISSON_FAIR
        };
        oneLock(Group.MAIN, "16-threads", "16 threads of one process, one lock", Shape.mutex(1, 16, 1), contending);
        oneLock(
                Group.MAIN,
                "1000-threads",
                "1,000 threads of one process, one lock",
                Shape.mutex(1, 1000, 1),
                Peer.BARE_QUEUE,
                Peer.LEASEHOLD,
                Peer.SPRING,
                Peer.REDISSON);
        Shape square = Shape.mutex(4, 4, 1);
        String title = "4 processes of 4 threads, one lock";
        oneLock(
                Group.MAIN,
                "4x4",
                title,
                square,
                Peer.BARE_QUEUE,
                Peer.LEASEHOLD,
                Peer.SPRING,
                Peer.SPRING_PUBSUB,
                Peer.REDISSON);
        add(Group.MAIN, "4x4", title, square, NEAR, ONE_LOCK, StoreKind.POSTGRES, Peer.LEASEHOLD, Peer.SPRING);
        add(Group.MAIN, "4x4", title, square, NEAR, ONE_LOCK, StoreKind.MARIADB, Peer.LEASEHOLD, Peer.SPRING);
        add(Group.MAIN, "4x4", title, square, NEAR, ONE_LOCK, StoreKind.ZOOKEEPER, Peer.LEASEHOLD, Peer.CURATOR);
        add(Group.MAIN, "4x4", title, square, NEAR, ONE_LOCK, StoreKind.SQLITE, Peer.LEASEHOLD);
        oneLock(
                Group.MAIN,
                "8x1",
                "8 processes of one thread, one lock",
                Shape.mutex(8, 1, 1),
                Peer.BARE_QUEUE,
                Peer.LEASEHOLD,
                Peer.SPRING_PUBSUB,
                Peer.REDISSON);
        handOvers();
    }

    private void free(String name, String title, Shape shape) {
        Peer[] redis = {Peer.BARE, Peer.LEASEHOLD, Peer.SHEDLOCK, Peer.SPRING, Peer.REDISSON};
        Peer[] sql = {Peer.BARE, Peer.LEASEHOLD, Peer.SHEDLOCK, Peer.SPRING};
        add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.REDIS, redis);
        if (shape.threads() == 1) {
            Peer[] quorum = {Peer.BARE, Peer.LEASEHOLD, Peer.REDLOCK, Peer.MULTILOCK};
            add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.QUORUM, quorum);
        }
        add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.POSTGRES, sql);
        add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.MARIADB, sql);
        add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.ZOOKEEPER, Peer.BARE, Peer.LEASEHOLD, Peer.CURATOR);
        add(Group.MAIN, name, title, shape, NEAR, FREE, StoreKind.SQLITE, Peer.LEASEHOLD);
    }

    private void oneLock(Group group, String name, String title, Shape shape, Peer... peers) {
        add(group, name, title, shape, NEAR, ONE_LOCK, StoreKind.REDIS, peers);
    }

    private void handOvers() {
        String title = "from process to process: 4 of one thread, one lock";
        Peer[] redis = {Peer.BARE_QUEUE, Peer.LEASEHOLD, Peer.SPRING_PUBSUB, Peer.REDISSON, Peer.REDISSON_FAIR};
        handOver("hand-over", title, 1, StoreKind.REDIS, redis);
        handOver(
                "hand-over-4x4",
                "from process to process: 4 of 4 threads, one lock",
                4,
                StoreKind.REDIS,
                Peer.BARE_QUEUE,
                Peer.LEASEHOLD,
                Peer.LEASEHOLD_MOVED,
                Peer.SPRING_PUBSUB);
        handOver("hand-over", title, 1, StoreKind.POSTGRES, Peer.BARE_RELAY, Peer.LEASEHOLD, Peer.SPRING);
        handOver("hand-over", title, 1, StoreKind.MARIADB, Peer.LEASEHOLD, Peer.SPRING);
        handOver("hand-over", title, 1, StoreKind.ZOOKEEPER, Peer.LEASEHOLD, Peer.CURATOR);
    }

    private void handOver(String name, String title, int threads, StoreKind store, Peer... peers) {
        add(Group.MAIN, name, title, Shape.mutex(4, threads, 1), NEAR, HAND_OVER, store, peers);
    }

    private void shared() {
        List<Contestant> peers = List.of(
                Contestant.of(Peer.BARE_QUEUE, StoreKind.REDIS).withStore(),
                Contestant.of(Peer.LEASEHOLD, StoreKind.REDIS).withStore(),
                Contestant.of(Peer.REDISSON, StoreKind.REDIS).withStore(),
                Contestant.of(Peer.CURATOR, StoreKind.ZOOKEEPER).withStore(),
                Contestant.of(Peer.LEASEHOLD, StoreKind.ZOOKEEPER).withStore());
        String of = "semaphore of 8, 4 processes of 4 threads";
        shared("semaphore", of + ", nothing done under it", Shape.semaphore(4, 4, 8, Duration.ZERO), PERMITS, peers);
        shared(
                "semaphore-2ms",
                of + ", each permit held for 2 ms",
                Shape.semaphore(4, 4, 8, Duration.ofMillis(2)),
                PERMITS,
                peers);
        String readers = "90 readers to 10 writers, 4 processes of 4 threads";
        shared("readers", readers + ", nothing done under it", Shape.readers(4, 4, 10, Duration.ZERO), READERS, peers);
        shared(
                "readers-1ms",
                readers + ", each lock held for 1 ms",
                Shape.readers(4, 4, 10, Duration.ofMillis(1)),
                READERS,
                peers);
        killedHalf(
                "semaphore-killed",
                of + " of 2 ms, two processes killed; leases of 5 s",
                Shape.semaphore(4, 4, 8, Duration.ofMillis(2)),
                peers);
        killedHalf(
                "readers-killed",
                readers + " of 1 ms, two processes killed; leases of 5 s",
                Shape.readers(4, 4, 10, Duration.ofMillis(1)),
                peers);
    }

    private void shared(String name, String title, Shape shape, List<Metric> columns, List<Contestant> contestants) {
        all.add(new Workload(name, title, Group.SHARED, Mode.THROUGHPUT, shape, NEAR, 0, contestants, columns));
    }

    private void killedHalf(String name, String title, Shape shape, List<Contestant> contestants) {
        all.add(new Workload(
                name,
                title,
                Group.SHARED,
                Mode.KILLED_HALF,
                shape.withLease(SHORT_LEASE),
                NEAR,
                0,
                contestants.stream()
                        .filter(contestant -> !contestant.peer().isBare())
                        .toList(),
                KILLED_HALF));
    }

    private void more() {
        Peer[] redis = {Peer.BARE, Peer.LEASEHOLD, Peer.SHEDLOCK, Peer.SPRING, Peer.REDISSON};
        String away = ", the store a millisecond away";
        add(
                Group.MORE,
                "far-one-thread",
                "one thread, a free lock" + away,
                Shape.mutex(1, 1, 1),
                FAR,
                FREE,
                StoreKind.REDIS,
                redis);
        add(
                Group.MORE,
                "far-16-keys",
                "16 threads of one process, 16 free locks" + away,
                Shape.mutex(1, 16, 16),
                FAR,
                FREE,
                StoreKind.REDIS,
                redis);
        add(
                Group.MORE,
                "far-4x4",
                "4 processes of 4 threads, one lock" + away,
                Shape.mutex(4, 4, 1),
                FAR,
                ONE_LOCK,
                StoreKind.REDIS,
                Peer.BARE_QUEUE,
                Peer.LEASEHOLD,
                Peer.SPRING_PUBSUB,
                Peer.REDISSON);
        all.add(new Workload(
                "first-acquire",
                "a new JVM acquires its first lock, on Redis",
                Group.MORE,
                Mode.FIRST,
                Shape.mutex(1, 1, 1),
                NEAR,
                0,
                Arrays.stream(redis)
                        .map(peer -> Contestant.of(peer, StoreKind.REDIS))
                        .toList(),
                List.of(FIRST, FIRST_ALL, FIRST_CPU)));
        all.add(new Workload(
                "killed-holder",
                "the holder is killed, until the next one runs; leases of 5 s",
                Group.MORE,
                Mode.KILLED_HOLDER,
                Shape.mutex(2, 1, 1).withLease(SHORT_LEASE),
                NEAR,
                0,
                List.of(
                        Contestant.of(Peer.LEASEHOLD, StoreKind.REDIS).withStore(),
                        Contestant.of(Peer.SPRING_PUBSUB, StoreKind.REDIS).withStore(),
                        Contestant.of(Peer.REDISSON, StoreKind.REDIS).withStore(),
                        Contestant.of(Peer.LEASEHOLD, StoreKind.POSTGRES).withStore(),
                        Contestant.of(Peer.SPRING, StoreKind.POSTGRES).withStore(),
                        Contestant.of(Peer.LEASEHOLD, StoreKind.ZOOKEEPER).withStore(),
                        Contestant.of(Peer.CURATOR, StoreKind.ZOOKEEPER).withStore()),
                List.of(GAP)));
        for (int count : new int[] {10_000, 100_000}) {
            all.add(new Workload(
                    "held-" + count,
                    String.format("one process holds %,d leases of 30 s on Redis, with their renewal", count),
                    Group.MORE,
                    Mode.HELD,
                    Shape.mutex(1, 16, 1),
                    NEAR,
                    count,
                    List.of(
                            Contestant.of(Peer.LEASEHOLD, StoreKind.REDIS),
                            Contestant.of(Peer.REDISSON, StoreKind.REDIS)),
                    List.of(CLIENT_CORE, SERVER_CORE, RENEWAL, HEAP, HELD)));
        }
    }

    private void scaling() {
        Peer[] peers = {Peer.BARE_QUEUE, Peer.LEASEHOLD, Peer.SPRING_PUBSUB, Peer.REDISSON};
        for (int threads : new int[] {4, 64}) {
            oneLock(
                    Group.SCALING,
                    threads + "-threads",
                    threads + " threads of one process, one lock",
                    Shape.mutex(1, threads, 1),
                    peers);
        }
        for (int processes : new int[] {1, 2, 4}) {
            oneLock(
                    Group.SCALING,
                    processes + "x1",
                    (processes == 1 ? "1 process" : processes + " processes") + " of one thread, one lock",
                    Shape.mutex(processes, 1, 1),
                    peers);
        }
        for (int keys : new int[] {4, 64}) {
            add(
                    Group.SCALING,
                    keys + "-keys",
                    keys + " threads of one process, as many free locks",
                    Shape.mutex(1, keys, keys),
                    NEAR,
                    FREE,
                    StoreKind.REDIS,
                    Peer.BARE,
                    Peer.LEASEHOLD,
                    Peer.SPRING,
                    Peer.REDISSON);
        }
    }

    private void add(
            Group group,
            String name,
            String title,
            Shape shape,
            Duration distance,
            List<Metric> columns,
            StoreKind store,
            Peer... peers) {
        all.add(new Workload(
                name + "-" + store.word(),
                store.label() + ": " + title,
                group,
                Mode.THROUGHPUT,
                shape,
                distance,
                0,
                Arrays.stream(peers).map(peer -> Contestant.of(peer, store)).toList(),
                columns));
    }
}

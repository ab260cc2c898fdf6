package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StaleTokenException;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The lock-set workload: a set outside of the lock's store, read, changed and written under the lock, by clients that are
 * stopped in between for longer than their leases. What was written and acknowledged must not disappear.
 */
@Tag("slow")
class FenceWorkloadTest {

    private static final int CLIENTS = 4;
    private static final Duration LEASE = Duration.ofMillis(150);
    private static final Duration MOST = Duration.ofSeconds(30);

    private enum Guarding {
        NOT,
        AT_WRITES,
        BEFORE_THE_FIRST_READ
    }

    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger elements = new AtomicInteger();
    private final List<Leasehold> clients = new ArrayList<>();

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    @BeforeEach
    void start() {
        redis.get().commands().set("set", "");
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Leasehold.connect(redis.get().uri()));
        }
    }

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
    }

    @Test
    void unguardedItLosesUpdates() throws Exception {
        assertThat(runUntilSomethingIsLost(Guarding.NOT)).isNotEmpty();
    }

    @Test
    void guardedAtWritesOnlyItLosesUpdatesToo() throws Exception {
        assertThat(runUntilSomethingIsLost(Guarding.AT_WRITES)).isNotEmpty();
    }

    @Test
    void registeredBeforeTheFirstReadItLosesNone() throws Exception {
        long start = System.nanoTime();
        run(Guarding.BEFORE_THE_FIRST_READ, Duration.ofSeconds(4));
        while (refused.get() == 0 && System.nanoTime() - start < MOST.toNanos()) {
            run(Guarding.BEFORE_THE_FIRST_READ, Duration.ofSeconds(1));
        }
        assertThat(lost()).isEmpty();
        assertThat(acknowledged).isNotEmpty();
        assertThat(refused.get()).isPositive();
    }

    private Set<String> runUntilSomethingIsLost(Guarding guarding) throws Exception {
        long start = System.nanoTime();
        while (lost().isEmpty() && System.nanoTime() - start < MOST.toNanos()) {
            run(guarding, Duration.ofSeconds(1));
        }
        return lost();
    }

    private Set<String> lost() {
        Set<String> lost = new HashSet<>(acknowledged);
        lost.removeAll(Set.of(redis.get().commands().get("set").split(",")));
        return lost;
    }

    private void run(Guarding guarding, Duration duration) throws Exception {
        long end = System.nanoTime() + duration.toNanos();
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                DistributedLock lock = clients.get(i)
                        .lock(
                                "lock",
                                LockOptions.defaults().withLeaseDuration(LEASE).withAutoRenew(false));
                all.add(threads.submit(() -> {
                    try (StatefulRedisConnection<String, String> connection =
                            redis.get().connect()) {
                        RedisFence fence = RedisFence.on(connection.sync(), "set");
                        while (System.nanoTime() - end < 0) {
                            add(lock, connection.sync(), fence, guarding, random);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(40, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void add(
            DistributedLock lock, RedisCommands<String, String> own, RedisFence fence, Guarding guarding, Random random)
            throws Exception {
        try (Lease lease = lock.acquire()) {
            RedisFence.Guard guard = guarding == Guarding.BEFORE_THE_FIRST_READ ? fence.register(lease.token()) : null;
            String seen = own.get("set");
            // Stopped: mostly not for long, sometimes for longer than the lease.
            int stop = random.nextInt(3) == 0 ? 100 + random.nextInt(200) : random.nextInt(30);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(stop));
            String element = Integer.toString(elements.incrementAndGet());
            String changed = seen + "," + element;
            if (guarding == Guarding.NOT) {
                own.set("set", changed);
            } else {
                (guard != null ? guard : fence.register(lease.token())).write("SET", "set", changed);
            }
            acknowledged.add(element);
        } catch (StaleTokenException e) {
            refused.incrementAndGet();
        }
    }
}

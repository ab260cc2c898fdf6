package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * These tests are about answers from the wire that make no sense: no call hangs or fails with anything but a {@link
 * LockException} that names store and lock, nothing is granted that another has, and the client serves other locks
 * afterwards. {@code -Dleasehold.runs=N} makes more of them, from {@code -Dleasehold.firstSeed=N} on.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnswerFuzzTest {

    private static final int RUNS = Integer.getInteger("leasehold.runs", 10);
    private static final long FIRST_SEED = Long.getLong("leasehold.firstSeed", 1);

    /** Seeds that have shown something once: they are run in any case. */
    private static final long[] KNOWN = {24};

    private static final Duration AT_MOST = Duration.ofSeconds(20);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<SpoilingProxy> proxies = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closedLater(T closeable) {
        open.add(closeable);
        return closeable;
    }

    private int proxy(RedisProcess server) {
        SpoilingProxy proxy = closedLater(SpoilingProxy.to(server.port()));
        proxies.add(proxy);
        return proxy.port();
    }

    private Leasehold fuzzed(UnaryOperator<LeaseholdBuilder> store) {
        return closedLater(store.apply(Leasehold.builder())
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5)))
                .storeTimeout(Duration.ofSeconds(1))
                .build());
    }

    @Test
    void answersOfOneRedis() throws Exception {
        RedisProcess redis = closedLater(RedisProcess.start(RedisProcess.Version.V7_0));
        Leasehold holder = closedLater(Leasehold.connect(redis.uri()));
        fuzz(holder, fuzzed(builder -> builder.uri("redis://localhost:" + proxy(redis))), "redis://localhost:");
    }

    @Test
    void answersOfAQuorum() throws Exception {
        RedlockFixture quorum = closedLater(RedlockFixture.opened(3));
        List<RedisURI> uris = quorum.servers.stream()
                .map(server -> RedisURI.create("redis://localhost:" + proxy(server)))
                .toList();
        RedlockStore store = RedlockStore.of(uris).withNodeTimeout(Duration.ofMillis(500));
        fuzz(
                quorum.client(quorum.store, Duration.ofSeconds(50)),
                fuzzed(builder -> builder.store(store)),
                "localhost:");
    }

    private void fuzz(Leasehold holder, Leasehold fuzzed, String store) throws Exception {
        Lease held = holder.lock("held").acquire();
        long[] seeds = LongStream.concat(LongStream.of(KNOWN), LongStream.range(FIRST_SEED, FIRST_SEED + RUNS))
                .toArray();
        for (long seed : seeds) {
            Random random = new Random(seed);
            for (SpoilingProxy proxy : proxies) {
                proxy.spoil(1 + random.nextInt(3), random.nextLong());
            }
            String run = "seed " + seed;
            long start = System.nanoTime();
            try {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        Optional<Lease> granted = fuzzed.lock("held").tryAcquire(Duration.ofMillis(100));
                        assertThat(granted.filter(Lease::isValid)).as(run).isEmpty();
                    }
                    case 1 -> {
                        try (Lease lease = fuzzed.lock("free-" + seed).acquire()) {
                            lease.extend(Duration.ofSeconds(6));
                        }
                    }
                    case 2 -> fuzzed.locks("*");
                    default -> fuzzed.lock("free").tryAcquire().ifPresent(Lease::close);
                }
            } catch (LockException e) {
                assertThat(e.getMessage()).as(run).contains(store).hasSizeLessThan(2_000);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as(run).isLessThan(AT_MOST);
            proxies.forEach(proxy -> proxy.spoil(0, 0));
            servesAgain(fuzzed, run);
            assertThat(held.isValid()).as(run).isTrue();
        }
    }

    private static void servesAgain(Leasehold client, String run) throws InterruptedException {
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (true) {
            try (Lease lease = client.lock("another").acquire()) {
                lease.ensureValid();
                return;
            } catch (LockException e) {
                assertThat(System.nanoTime() - end).as(run + ": " + e).isNegative();
            }
        }
    }
}

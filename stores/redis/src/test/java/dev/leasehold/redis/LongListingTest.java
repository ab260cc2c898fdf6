package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server with many keys of others was walked to its end, for a caller who had given up long ago. */
@Tag("slow")
class LongListingTest {

    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(5);
    private static final int LOCKS = 1_000;

    /** Here each look at the clock takes a second, once the walk has begun. */
    private static final class SlowTime implements TimeSource {
        private final TimeSource real;
        private volatile boolean slow;
        private volatile long skipped;

        SlowTime(TimeSource real) {
            this.real = real;
        }

        @Override
        public synchronized ClockReading now() {
            if (slow) {
                skipped += TimeUnit.SECONDS.toNanos(1);
            }
            ClockReading read = real.now();
            return new ClockReading(read.nanos() + skipped, read.wallMicros());
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return real.schedule(delay, task);
        }
    }

    @Test
    void aListingEndsBeforeItsCallerGivesUp() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RealTime real = new RealTime()) {
            Map<String, String> others = new HashMap<>();
            for (int i = 0; i < 5_000; i++) {
                others.put("other:" + i, "");
            }
            redis.commands().mset(others);
            SlowTime time = new SlowTime(real);
            Store store = open(redis, time, STORE_TIMEOUT);
            get(store.claim(new Claim(new ClaimId("client", 1), "x", Duration.ofSeconds(A_MINUTE), 0, false)));
            assertThat(list(store)).extracting(LockInfo::name).containsExactly("x");
            redis.commands().configResetstat();
            time.slow = true;
            assertThatThrownBy(() -> list(store))
                    .hasRootCauseInstanceOf(LockException.class)
                    .rootCause()
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("was ended after 4.5 s")
                    .hasMessageContaining("keys of the server, found");
            assertThat(redis.commands().info("commandstats")).containsPattern("cmdstat_scan:calls=[1-5],");
            store.close();
        }
    }

    /** It sent a thousand questions at once: nobody could end them, and callers in the same client stood behind them. */
    @Test
    void ofManyLocksAFewAreLookedAtAtOnce() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RealTime real = new RealTime()) {
            SlowTime time = new SlowTime(real);
            Store store = open(redis, time, Duration.ofSeconds(A_MINUTE));
            await().ignoreExceptions().until(() -> list(store).isEmpty());
            for (int i = 1; i <= LOCKS; i++) {
                get(store.claim(new Claim(new ClaimId("client", i), "x" + i, Duration.ofHours(1), 0, false)));
            }
            assertThat(list(store)).extracting(LockInfo::name).hasSize(LOCKS).isSorted();
            redis.commands().configResetstat();
            time.slow = true;
            assertThatThrownBy(() -> list(store))
                    .hasRootCauseInstanceOf(LockException.class)
                    .rootCause()
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("found 1000 names of locks, and looked at 100 of them");
            assertThat(redis.commands().info("commandstats")).contains("cmdstat_evalsha:calls=100,");
            store.close();
        }
    }

    private static Store open(RedisProcess redis, TimeSource time, Duration storeTimeout) {
        return new RedisStoreProvider()
                .create(StoreUri.parse(redis.uri()))
                .open(new StoreContext("client", "owner", "", time, storeTimeout, new NoSignals()));
    }

    private static List<LockInfo> list(Store store) throws Exception {
        return get(store.inspect(NamePattern.of("*")));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS);
    }
}

package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * These tests show that the time a store spends on a caller's thread is a part of the time that its caller is ready to
 * wait.
 */
class CallerRunsTimeTest {

    private static final Duration LENT = Duration.ofMillis(950);
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /** A clock that stands still unless it is set, and timers of which only one ever rings, at once. */
    private static final class Clock implements TimeSource {
        private final AtomicLong nanos = new AtomicLong(1);
        private final Queue<Duration> scheduled = new ConcurrentLinkedQueue<>();

        @Override
        public ClockReading now() {
            return new ClockReading(nanos.get(), nanos.get() / 1000);
        }

        @Override
        public long nanos() {
            return nanos.get();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            scheduled.add(delay);
            if (delay.equals(MAX_WAIT) || delay.equals(MAX_WAIT.minus(LENT))) {
                CompletableFuture.runAsync(task);
            }
            return () -> {};
        }
    }

    @Test
    @DisplayName("The time that an acquire has spent on its thread is taken off its maxWait")
    void timeSpentOnTheThreadIsTakenOffMaxWait() throws Exception {
        StoreFactory memory = WrappedStore.memory();
        Clock clock = new Clock();
        WrappedStore callerRuns = new WrappedStore(memory) {
            @Override
            void runOnCaller(Store store, Runnable request) {
                request.run();
                clock.nanos.addAndGet(LENT.toNanos());
            }
        };
        try (Leasehold holder = Leasehold.builder().store(memory).build();
                Leasehold waiter = Leasehold.builder()
                        .store(callerRuns)
                        .timeSource(clock)
                        .executor(Runnable::run)
                        .build()) {
            assertThat(holder.lock("a").tryAcquire()).isPresent();
            assertThat(waiter.lock("a").tryAcquire(MAX_WAIT)).isEmpty();
            assertThat(clock.scheduled).contains(MAX_WAIT.minus(LENT)).doesNotContain(MAX_WAIT);
        }
    }

    @Test
    @DisplayName("The time that a release has spent on its thread is taken off the second that close() waits")
    void aReleaseOnTheCallerCountsTowardsClosesSecond() throws Exception {
        AtomicLong lentUntil = new AtomicLong();
        CompletableFuture<ReleaseAnswer> answer = new CompletableFuture<>();
        WrappedStore callerRuns = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store store, LeaseId lease, Duration keepFor) {
                return answer;
            }

            @Override
            void runOnCaller(Store store, Runnable request) {
                request.run();
                // Bound: none, the request takes as long, and load only makes it longer.
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                for (long left = 1; left > 0; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                lentUntil.set(System.nanoTime());
            }
        };
        try (Leasehold client = Leasehold.builder().store(callerRuns).build()) {
            // Bound: close() waits for no second of its own; it would in each of the tries, and load only makes one
            // last longer.
            await().pollInSameThread().until(() -> closing(client, lentUntil) < TimeUnit.MILLISECONDS.toNanos(900));
            answer.complete(ReleaseAnswer.RELEASED);
        }
    }

    /** Returns how long a lease took to close after its caller's thread had run the release. */
    private static long closing(Leasehold client, AtomicLong lentUntil) throws Exception {
        client.lock(UUID.randomUUID().toString()).acquireAsync().get().close();
        return System.nanoTime() - lentUntil.get();
    }
}

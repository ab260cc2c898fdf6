package dev.leasehold.engine.threads;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.WrappedStore;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process is stopped while its clients close: all their timers are late together, on the queue of {@link SystemTime}. */
class ClosingAfterAPauseTest {

    private static final int CLIENTS = 40;

    /** So short that the limit of most clients and the end of their store's time fall into one slot of the queue. */
    private static final Duration STORE_TIMEOUT = Duration.ofMillis(10);

    private static final class MovedTime implements TimeSource {

        private final TimerQueue queue = new TimerQueue();
        private volatile long nanos;

        @Override
        public ClockReading now() {
            return new ClockReading(nanos, nanos / 1_000);
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return queue.add(nanos + delay.toNanos(), task);
        }

        void move(Duration by) {
            nanos += by.toNanos();
            queue.sort();
            queue.runDue(nanos);
        }
    }

    @Test
    void eachHolderIsTold() throws Exception {
        MovedTime time = new MovedTime();
        List<Lease> leases = new ArrayList<>();
        Set<Lease> told = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<?>> closed = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Leasehold client = Leasehold.builder()
                    .store(new WrappedStore())
                    .storeTimeout(STORE_TIMEOUT)
                    .timeSource(time)
                    .build();
            Lease lease = client.lock("a").acquire();
            lease.addListener((which, state) -> told.add(which));
            leases.add(lease);
            closed.add(client.closeAsync(Duration.ofSeconds(1)));
            time.move(Duration.ofMillis(5));
        }
        assertThat(leases).extracting(Lease::state).containsOnly(LeaseState.HELD);
        time.move(Duration.ofSeconds(5));
        for (CompletableFuture<?> each : closed) {
            each.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(leases).extracting(Lease::state).containsOnly(LeaseState.LOST);
        await().untilAsserted(() -> assertThat(told).hasSize(CLIENTS));
    }
}

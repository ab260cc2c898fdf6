package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedSemaphore;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Signals find the queue of the share that they are for. Time stands still, so nobody asks before a signal comes. */
class SharedSignalsTest {

    private static final class Releases extends WrappedStore {
        private final List<LeaseId> released = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<ReleaseAnswer> release(Store store, LeaseId lease, Duration keepFor) {
            released.add(lease);
            return super.release(store, lease, keepFor);
        }
    }

    private final Releases store = new Releases();

    private static Leasehold open(StoreFactory store) {
        return Leasehold.builder()
                .store(store)
                .timeSource(new StoppedTimeSource())
                .build();
    }

    @Test
    void aPushedPermitReachesItsWaiter() throws Exception {
        try (Leasehold one = open(store);
                Leasehold two = open(store)) {
            DistributedSemaphore semaphore = two.semaphore("a", 2);
            Lease first = one.semaphore("a", 2).acquire();
            Lease second = one.semaphore("a", 2).acquire();
            CompletableFuture<Lease> waiting = semaphore.acquireAsync();
            second.close();
            Lease third = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(third.slot()).hasValue(1);
            assertThat(store.released).extracting(LeaseId::token).containsExactly(second.token());
            third.close();
            first.close();
        }
    }

    @Test
    void aDoubtReachesEveryShareOfALock() throws Exception {
        try (Leasehold client = open(store);
                Leasehold breaker = open(store.real())) {
            Lease permit = client.semaphore("a", 2).acquire();
            breaker.breakLock("a", permit.token());
            assertThat(permit.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
        }
    }
}

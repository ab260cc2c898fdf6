package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdObserver;
import dev.leasehold.LockCall;
import dev.leasehold.LockGrant;
import dev.leasehold.LockOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show on which threads observers are called, and that the engine waits for none of them. */
class ObserverThreadsTest {

    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));

    @Test
    void callersAreToldOnTheirOwnThreads() throws Exception {
        AtomicReference<Thread> acquiredOn = new AtomicReference<>();
        AtomicReference<Thread> releasedOn = new AtomicReference<>();
        LeaseholdObserver observer = new LeaseholdObserver() {
            @Override
            public void acquired(LockCall call, LockGrant grant) {
                acquiredOn.set(Thread.currentThread());
            }

            @Override
            public void released(LockCall call, LockGrant grant, Duration held) {
                releasedOn.set(Thread.currentThread());
            }
        };
        try (Leasehold leasehold =
                Leasehold.builder().store(new WrappedStore()).observer(observer).build()) {
            leasehold.lock("a").acquire().close();
        }
        assertThat(acquiredOn).hasValue(Thread.currentThread());
        assertThat(releasedOn).hasValue(Thread.currentThread());
    }

    @Test
    @DisplayName("With an observer that blocks at each renewal, leases are still renewed, and locks acquired")
    void anObserverThatBlocksKeepsNoLeaseFromBeingRenewed() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        LeaseholdObserver blocking = new LeaseholdObserver() {
            @Override
            public void renewed(LockCall call, LockGrant grant, Duration took, boolean late) {
                blocked.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        WrappedStore store = new WrappedStore();
        try (Leasehold leasehold = Leasehold.builder()
                .store(store)
                .observer(blocking)
                .options(BRIEF)
                .build()) {
            Lease lease = leasehold.lock("a").acquire();
            blocked.await();
            int before = store.operations.get();
            await().until(() -> store.operations.get() >= before + 1);
            assertThat(lease.isValid()).isTrue();
            leasehold.lock("b").acquire().close();
            lease.close();
            goOn.countDown();
        }
    }
}

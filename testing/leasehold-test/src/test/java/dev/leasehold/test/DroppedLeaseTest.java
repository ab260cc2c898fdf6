package dev.leasehold.test;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that nobody refers to any more is renewed no longer, and runs out. */
class DroppedLeaseTest {

    private static final Duration LONG = Duration.ofDays(1).minusMinutes(1);

    private final TestLeasehold locks = TestLeasehold.create();

    @AfterEach
    void close() {
        locks.close();
    }

    /** The events of a lease's first moments refer to it; after a renewal or two nothing does. */
    private void assertThatItRunsOut(WeakReference<Lease> lease) throws InterruptedException {
        for (int i = 0; i < 100 && !lease.refersTo(null); i++) {
            System.gc();
            locks.time().advance(LockOptions.defaults().leaseDuration());
        }
        assertThat(lease.refersTo(null)).isTrue();
        locks.time().advance(LockOptions.defaults().leaseDuration().multipliedBy(2));
        assertThat(locks.leasehold().locks("*")).isEmpty();
    }

    /** The engine kept it by way of its request, whose outcome it is. */
    @Test
    void aDroppedLeaseRunsOut() throws Exception {
        assertThatItRunsOut(new WeakReference<>(locks.leasehold().lock("x").acquire()));
    }

    @Test
    void aDroppedLeaseThatWasWaitedForRunsOut() throws Exception {
        Lease first = locks.leasehold().lock("x").acquire();
        WeakReference<Lease> second = afterwards(first);
        assertThatItRunsOut(second);
    }

    private WeakReference<Lease> afterwards(Lease first) throws Exception {
        var waiting = locks.leasehold().lock("x").acquireAsync();
        first.release();
        return new WeakReference<>(waiting.get(A_MINUTE, TimeUnit.SECONDS));
    }

    /** Nobody can complete its stage any more; what is to be cancelled at a loss must not keep it. */
    @Test
    void theLeaseOfADroppedStageRunsOut() throws Exception {
        assertThatItRunsOut(underAStage());
    }

    private WeakReference<Lease> underAStage() throws Exception {
        return underAStage(new AtomicReference<>());
    }

    private WeakReference<Lease> underAStage(AtomicReference<CompletableFuture<?>> result) throws Exception {
        CompletableFuture<WeakReference<Lease>> lease = new CompletableFuture<>();
        result.set(locks.leasehold()
                .lock("x", LockOptions.defaults().withInterruptOnLoss(true))
                .callAsync(held -> {
                    lease.complete(new WeakReference<>(held));
                    return new CompletableFuture<>();
                }));
        assertThat(result.get()).isNotDone();
        return lease.get(A_MINUTE, TimeUnit.SECONDS);
    }

    @Test
    void norDoesTheResultKeepItThatTheCallerHas() throws Exception {
        AtomicReference<CompletableFuture<?>> result = new AtomicReference<>();
        assertThatItRunsOut(underAStage(result));
        assertThat(result.get()).isNotDone();
    }

    @Test
    void aLeaseThatIsKeptIsRenewed() throws Exception {
        Lease lease = locks.leasehold().lock("x").acquire();
        System.gc();
        locks.time().advance(LONG);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }
}

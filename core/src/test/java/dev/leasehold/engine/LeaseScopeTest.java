package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.queue.Loss;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about the end of a hold as its holder sees it: a body's end, and close(). */
class LeaseScopeTest {

    private final Leasehold leasehold = Leasehold.builder()
            .store(new WrappedStore())
            .timeSource(new StoppedTimeSource())
            .build();

    @AfterEach
    void close() {
        leasehold.close();
    }

    private HeldLease acquire(LockOptions options) throws InterruptedException {
        return (HeldLease) leasehold.lock("a", options).acquire();
    }

    private HeldLease acquire() throws InterruptedException {
        return acquire(LockOptions.defaults());
    }

    /** Loses a lease as the engine does when the store has said so. */
    private static void lose(HeldLease lease) {
        lease.hold().lose(new Loss("tested", null));
        lease.watcher().stateChanged(LeaseState.LOST);
    }

    @Test
    void aBodyUnderALeaseThatWasHeldReturnsItsResult() throws Exception {
        HeldLease lease = acquire();
        assertThat(LeaseScope.<Integer, RuntimeException>call(lease, held -> 42))
                .isEqualTo(42);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aBodyThatEndsNormallyOnALostLeaseThrows() throws Exception {
        HeldLease lease = acquire();
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    lose(lease);
                    return 42;
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whatABodyThrowsOnALostLeaseCarriesTheLoss() throws Exception {
        HeldLease lease = acquire();
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    lose(lease);
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .satisfies(
                        e -> assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LeaseLostException.class));
    }

    @Test
    void whatABodyThrowsUnderALeaseThatWasHeldComesAlone() throws Exception {
        HeldLease lease = acquire();
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    void aBodyIsInterruptedOnLossWhereItWantsToBe() throws Exception {
        HeldLease lease = acquire(LockOptions.defaults().withInterruptOnLoss(true));
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    lose(lease);
                    return Thread.currentThread().isInterrupted() ? "interrupted" : "not";
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted())
                .as("no interrupt outlives the body")
                .isFalse();
        HeldLease calm = acquire();
        boolean[] interrupted = new boolean[1];
        assertThatThrownBy(() -> LeaseScope.call(calm, held -> {
                    lose(calm);
                    interrupted[0] = Thread.currentThread().isInterrupted();
                    return true;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(interrupted[0]).isFalse();
    }

    @Test
    @DisplayName("A body that is interrupted on loss ends with the loss and not with an interrupt")
    void aBodyInterruptedOnLossEndsWithTheLoss() throws Exception {
        HeldLease lease = acquire(LockOptions.defaults().withInterruptOnLoss(true));
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    lose(lease);
                    new CountDownLatch(1).await();
                    return true;
                }))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(e ->
                        assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptOfSomebodyElseIsNotLostWithOurs() throws Exception {
        HeldLease lease = acquire(LockOptions.defaults().withInterruptOnLoss(true));
        assertThatThrownBy(() -> LeaseScope.call(lease, held -> {
                    lose(lease);
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        Thread.currentThread().interrupt();
                    }
                    return true;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted())
                .as("the interrupt that came after ours")
                .isTrue();
        HeldLease other = acquire(LockOptions.defaults().withInterruptOnLoss(true));
        assertThatThrownBy(() -> LeaseScope.call(other, held -> {
                    Thread.currentThread().interrupt();
                    lose(other);
                    return true;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted())
                .as("the interrupt that came before ours")
                .isTrue();
        HeldLease third = acquire();
        assertThatThrownBy(() -> LeaseScope.call(third, held -> {
                    throw new InterruptedException("somebody else's");
                }))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    @DisplayName("A body that ends interrupted hears that its lock had been broken")
    void aBodyThatEndsInterruptedHearsOfTheBrokenLock() throws Exception {
        WrappedStore broken = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store store, LeaseId lease, Duration keepFor) {
                return CompletableFuture.supplyAsync(
                        () -> ReleaseAnswer.NOT_HELD, CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
            }
        };
        try (Leasehold client = Leasehold.builder().store(broken).build()) {
            assertThatThrownBy(() ->
                            client.lock("a").run(lease -> Thread.currentThread().interrupt()))
                    .isInstanceOf(LeaseLostException.class);
            assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        }
    }

    @Test
    void closeKeepsTheInterrupt() throws Exception {
        HeldLease lease = acquire();
        Thread.currentThread().interrupt();
        lease.close();
        assertThat(Thread.interrupted()).isTrue();
    }
}

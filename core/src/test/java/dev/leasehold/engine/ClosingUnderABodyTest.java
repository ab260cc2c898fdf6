package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.architecture.Waits;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A service shuts down while work is done under its locks: nobody else may begin beside that work. */
class ClosingUnderABodyTest {

    private final StoreFactory memory = WrappedStore.memory();
    private final Leasehold leasehold = ShortStoreTimeout.client(memory);
    private final Leasehold other = ShortStoreTimeout.client(memory);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @AfterEach
    void stop() {
        mayEnd.countDown();
        threads.shutdownNow();
        other.close();
        leasehold.close();
    }

    private Future<?> body(LockOptions options) {
        Future<?> body = threads.submit(() -> {
            leasehold.lock("a", options).run(lease -> {
                begun.countDown();
                mayEnd.await();
            });
            return null;
        });
        await(begun);
        return body;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("Nobody else gets the lock while a body runs on after its client was closed")
    void aBodyKeepsItsLockAfterItsClientWasClosed() throws Exception {
        Future<?> body = body(LockOptions.defaults());
        leasehold.close();
        assertThat(body.isDone()).isFalse();
        assertThat(other.lock("a").tryAcquire()).isEmpty();
    }

    @Test
    void aBodyThatOutlivesItsClientIsToldSoWhenItEnds() throws Exception {
        Future<?> body = body(LockOptions.defaults());
        leasehold.close();
        mayEnd.countDown();
        assertThatThrownBy(() -> body.get(A_MINUTE, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LeaseLostException.class)
                .hasMessageContaining("client was closed");
    }

    @Test
    void aBodyIsInterruptedIfItAskedForThat() throws Exception {
        Future<?> body = body(LockOptions.defaults().withInterruptOnLoss(true));
        leasehold.close();
        assertThatThrownBy(() -> body.get(A_MINUTE, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(LeaseLostException.class)
                .satisfies(e ->
                        assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(InterruptedException.class));
    }

    @Test
    @DisplayName("A lease that is held when its client is closed is lost, and its listeners hear of it")
    void aLeaseHeldWhenItsClientIsClosedIsLost() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch lost = new CountDownLatch(1);
        lease.addListener((which, state) -> {
            told.add(state);
            lost.countDown();
        });
        leasehold.close();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(lease.remaining()).isEqualTo(Duration.ZERO);
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("client was closed");
        assertThat(lease.release()).isEqualTo(LeaseState.LOST);
        await(lost);
        assertThat(told).containsExactly(LeaseState.LOST);
    }

    @Test
    @DisplayName("A store whose leases depend on its session stays open until they would have run out")
    void aStoreWithSessionLeasesStaysOpenUntilTheirEnd() throws Exception {
        AtomicLong closedAt = new AtomicLong();
        WrappedStore session = new WrappedStore(memory) {
            @Override
            boolean closingEndsLeases() {
                return true;
            }

            @Override
            void close(Store store) {
                closedAt.set(System.nanoTime());
                super.close(store);
            }
        };
        Leasehold closing = ShortStoreTimeout.client(session);
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(1));
        long acquired = System.nanoTime();
        Lease left = closing.lock("left", brief).acquire();
        Leasehold idle = ShortStoreTimeout.client(session);
        idle.lock("given back").acquire().close();
        idle.close();
        assertThat(session.closes).hasValue(1);
        closing.close(Duration.ZERO);
        assertThat(left.state()).isEqualTo(LeaseState.LOST);
        Waits.await().until(() -> session.closes.get() == 2);
        assertThat(Duration.ofNanos(closedAt.get() - acquired)).isGreaterThan(brief.leaseDuration());
        assertThat(other.lock("left").tryAcquire()).isPresent();
    }
}

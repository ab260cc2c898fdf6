package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The threads on which users' code runs, and what it may do there. */
class ClientCallbacksTest {

    @Test
    @DisplayName("A future that is cancelled behind a blocked executor does not keep its lease")
    void aCancelledFutureDoesNotKeepItsLease() throws Exception {
        List<Runnable> stuck = Collections.synchronizedList(new ArrayList<>());
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(stuck::add)
                .build()) {
            CompletableFuture<Lease> future = leasehold.lock("a").acquireAsync();
            while (stuck.isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(future).isNotDone();
            assertThat(leasehold.lock("a").tryAcquire()).isEmpty();
            future.cancel(false);
            assertThat(leasehold.lock("a").tryAcquire(Duration.ofSeconds(A_MINUTE)))
                    .isPresent();
            stuck.forEach(Runnable::run);
        }
    }

    @Test
    @DisplayName("A grant that is cancelled before its delivery is not kept for minHold")
    void aCancelledGrantIsNotKeptForMinHold() throws Exception {
        List<Runnable> stuck = Collections.synchronizedList(new ArrayList<>());
        LockOptions nightly = LockOptions.defaults().withMinHold(Duration.ofMinutes(10));
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(stuck::add)
                .build()) {
            CompletableFuture<Lease> future = leasehold.lock("a", nightly).acquireAsync();
            while (stuck.isEmpty()) {
                Thread.onSpinWait();
            }
            future.cancel(false);
            assertThat(leasehold.lock("a").tryAcquire(Duration.ofSeconds(A_MINUTE)))
                    .isPresent();
            stuck.forEach(Runnable::run);
        }
    }

    @Test
    void fourSlowCallbacksDoNotWaitForEachOther() throws Exception {
        CyclicBarrier together = new CyclicBarrier(4);
        StoreFactory memory = WrappedStore.memory();
        try (Leasehold leasehold = Leasehold.builder().store(memory).build();
                Leasehold other = Leasehold.builder().store(memory).build()) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d")) {
                held.add(other.lock(name).acquire());
                all.add(leasehold.lock(name).acquireAsync().thenAccept(lease -> {
                    try {
                        together.await(A_MINUTE, TimeUnit.SECONDS);
                    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                        throw new IllegalStateException(e);
                    }
                    lease.close();
                }));
            }
            held.forEach(Lease::close);
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(A_MINUTE, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName("Users' code runs on their executor, and the executor is not called by the engine")
    void usersCodeRunsOnTheirExecutor() throws Exception {
        List<String> callers = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch told = new CountDownLatch(3);
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(task -> {
                    callers.add(Thread.currentThread().getName());
                    task.run();
                    told.countDown();
                })
                .build()) {
            Lease lease = leasehold.lock("a").acquireAsync().get(A_MINUTE, TimeUnit.SECONDS);
            lease.addListener((which, state) -> {});
            lease.ended().thenRun(() -> {});
            lease.close();
            assertThat(told.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(callers).hasSizeGreaterThanOrEqualTo(3).allMatch(name -> name.startsWith("leasehold-callback"));
    }

    @Test
    void anExecutorThatBlocksKeepsNoLockFromBeingServed() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(task -> {
                    blocked.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .build()) {
            CompletableFuture<Lease> future = leasehold.lock("a").acquireAsync();
            assertThat(blocked.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
            try (Lease lease = leasehold.lock("b").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(future).isNotDone();
            end.countDown();
        }
    }

    @Test
    @DisplayName("An executor that refuses does not keep a future from completing")
    void aFutureCompletesThoughItsExecutorRefuses() throws Exception {
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(task -> {
                    throw new RejectedExecutionException("shut down");
                })
                .build()) {
            assertThat(leasehold
                            .lock("a")
                            .acquireAsync()
                            .get(A_MINUTE, TimeUnit.SECONDS)
                            .isValid())
                    .isTrue();
        }
    }

    @Test
    void aListenerMayWaitForALock() throws Exception {
        try (Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore())) {
            CompletableFuture<Boolean> acquired = new CompletableFuture<>();
            Lease lease = leasehold.lock("a").acquire();
            lease.addListener((which, state) -> {
                try (Lease other = leasehold.lock("b").acquireAsync().get()) {
                    acquired.complete(other.isValid());
                } catch (Exception e) {
                    acquired.completeExceptionally(e);
                }
            });
            lease.close();
            assertThat(acquired.get(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        }
    }
}

package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.architecture.Waits;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests show what closing a client ends, waits for, and leaves. */
class ClientClosingTest {

    @Test
    void aClosedClientRefusesAtOnceAlsoAsynchronously() throws Exception {
        Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore());
        DistributedLock lock = leasehold.lock("a");
        leasehold.close();
        assertThatThrownBy(lock::acquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> leasehold.lock("b")).isInstanceOf(IllegalStateException.class);
        CompletableFuture<Lease> future = lock.acquireAsync();
        assertThatThrownBy(() -> future.get(A_MINUTE, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Closing returns as soon as the last hold has ended, and closes the store once")
    void closingReturnsAsSoonAsTheLastHoldHasEnded() throws Exception {
        StoreFactory memory = WrappedStore.memory();
        WrappedStore store = new WrappedStore(memory);
        Leasehold leasehold = ShortStoreTimeout.client(store);
        Lease lease = leasehold.lock("a").acquire();
        DistributedLock another = leasehold.lock("b");
        Thread closer = new Thread(() -> leasehold.close(LockOptions.FOREVER));
        closer.start();
        Waits.await()
                .untilAsserted(() -> assertThatThrownBy(another::tryAcquire).isInstanceOf(IllegalStateException.class));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        closer.join(10_000);
        assertThat(closer.isAlive()).isFalse();
        leasehold.close();
        assertThat(store.closes).hasValue(1);
        try (Leasehold other = ShortStoreTimeout.client(memory)) {
            assertThat(other.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void aNegativeLimitIsRefusedAndNothingIsClosed() throws Exception {
        try (Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore())) {
            assertThatThrownBy(() -> leasehold.close(Duration.ofNanos(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> leasehold.closeAsync(Duration.ofNanos(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(leasehold.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    @DisplayName("A caller that joins while the client closes is answered and leaves nothing")
    void aCallerWhileTheClientClosesIsAnswered() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 300; round++) {
                StoreFactory memory = WrappedStore.memory();
                Leasehold leasehold = Leasehold.builder().store(memory).build();
                List<DistributedLock> locks = List.of(leasehold.lock("a"), leasehold.lock("b"));
                CyclicBarrier start = new CyclicBarrier(3);
                List<java.util.concurrent.Future<?>> callers = new ArrayList<>();
                for (DistributedLock lock : locks) {
                    callers.add(threads.submit(() -> {
                        start.await();
                        try {
                            assertThat(lock.acquire().release()).isEqualTo(LeaseState.RELEASED);
                        } catch (IllegalStateException closed) {
                            assertThat(closed).hasMessageContaining("closed");
                        }
                        return null;
                    }));
                }
                start.await();
                leasehold.close();
                for (var caller : callers) {
                    caller.get(A_MINUTE, TimeUnit.SECONDS);
                }
                try (Leasehold other = ShortStoreTimeout.client(memory)) {
                    assertThat(other.locks("*")).as("round %s", round).isEmpty();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void theStoreIsNotClosedOnAThreadOfItsOwn() throws Exception {
        ExecutorService ownThread = Executors.newSingleThreadExecutor(task -> new Thread(task, "store"));
        AtomicReference<String> closer = new AtomicReference<>();
        Thread closing = Thread.currentThread();
        WrappedStore store = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            while (closing.getState() == Thread.State.RUNNABLE) {
                                Thread.onSpinWait();
                            }
                            return inner.release(lease, keepFor)
                                    .toCompletableFuture()
                                    .join();
                        },
                        ownThread);
            }

            @Override
            void close(Store inner) {
                closer.set(Thread.currentThread().getName());
            }
        };
        Leasehold leasehold = ShortStoreTimeout.client(store);
        leasehold.lock("a").acquire().releaseAsync();
        leasehold.close();
        assertThat(closer.get()).startsWith("leasehold-callback-");
        ownThread.shutdownNow();
    }

    @Test
    @DisplayName("A client that is closed on an interrupted thread still releases first")
    void closingOnAnInterruptedThreadReleasesFirst() throws Exception {
        ExecutorService ownThread = Executors.newSingleThreadExecutor();
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch closing = new CountDownLatch(1);
        WrappedStore store = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            await(closing);
                            log.add("released");
                            return ReleaseAnswer.RELEASED;
                        },
                        ownThread);
            }

            @Override
            void close(Store inner) {
                log.add("closed");
            }
        };
        Leasehold leasehold = ShortStoreTimeout.client(store);
        leasehold.lock("a").acquire().releaseAsync();
        Thread.currentThread().interrupt();
        Thread closer = Thread.currentThread();
        new Thread(() -> {
                    awaitWaiting(closer);
                    // The first interrupt has ended the wait for the holders; this one comes while the store is waited
                    // for.
                    closer.interrupt();
                    awaitWaiting(closer);
                    closing.countDown();
                })
                .start();
        leasehold.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(log).containsExactly("released", "closed");
        ownThread.shutdownNow();
    }

    @Test
    void closingInTheBackgroundWaitsForHoldsAndReleasesToo() throws Exception {
        WrappedStore store = new WrappedStore();
        Leasehold leasehold = ShortStoreTimeout.client(store);
        Lease lease = leasehold.lock("a").acquire();
        CompletableFuture<?> closed = leasehold.closeAsync(LockOptions.FOREVER);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        closed.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(store.closes).hasValue(1);
        leasehold.close();
        assertThat(store.closes).hasValue(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theStoreIsClosedAfterTheStoreTimeout() throws Exception {
        WrappedStore store = new WrappedStore() {
            @Override
            public CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                return new CompletableFuture<>();
            }
        };
        Leasehold leasehold = ShortStoreTimeout.client(store);
        leasehold.lock("a").acquire().releaseAsync();
        leasehold.close();
        Waits.await().until(() -> store.closes.get() == 1);
    }

    @Test
    void theThreadsOfAClosedClientEnd() throws Exception {
        Set<Thread> before = timerThreads();
        Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore());
        AtomicReference<Thread> callback = new AtomicReference<>();
        Lease lease = leasehold.lock("a").acquire();
        CountDownLatch told = new CountDownLatch(1);
        lease.addListener((which, state) -> {
            callback.set(Thread.currentThread());
            told.countDown();
        });
        lease.close();
        assertThat(told.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        Set<Thread> timers = timerThreads();
        timers.removeAll(before);
        assertThat(timers).hasSize(1);
        leasehold.close();
        for (Thread timer : timers) {
            timer.join(10_000);
            assertThat(timer.isAlive()).isFalse();
        }
        callback.get().join(10_000);
        assertThat(callback.get().isAlive()).isFalse();
        assertThat(callback.get().isDaemon()).isTrue();
    }

    private static Set<Thread> timerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("leasehold-timer"))
                .collect(Collectors.toSet());
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() == Thread.State.RUNNABLE || thread.isInterrupted()) {
            Thread.onSpinWait();
        }
    }
}

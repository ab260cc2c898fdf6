package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing, faulty stores, and the threads on which users' code runs. */
@Timeout(60)
class ClientTest {

    private static Leasehold open(StoreFactory store) {
        return Leasehold.builder()
                .store(store)
                .storeTimeout(Duration.ofMillis(500))
                .build();
    }

    // ---- closing ----

    @Test
    void aClosedClientRefusesAtOnceAlsoAsynchronously() throws Exception {
        Leasehold leasehold = open(new WrappedStore());
        DistributedLock lock = leasehold.lock("a");
        leasehold.close();
        assertThatThrownBy(lock::acquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> leasehold.lock("b")).isInstanceOf(IllegalStateException.class);
        CompletableFuture<Lease> future = lock.acquireAsync();
        assertThatThrownBy(() -> future.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingReleasesWhatIsHeldAndClosesTheStoreOnce() throws Exception {
        StoreFactory memory = WrappedStore.memory();
        WrappedStore store = new WrappedStore(memory);
        Leasehold leasehold = open(store);
        Lease lease = leasehold.lock("a").acquire();
        leasehold.close();
        leasehold.close();
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(store.closes).hasValue(1);
        try (Leasehold other = open(memory)) {
            assertThat(other.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void whoJoinsWhileTheClientClosesIsAnsweredAndLeavesNothing() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 300; round++) {
                StoreFactory memory = WrappedStore.memory();
                Leasehold leasehold = open(memory);
                List<DistributedLock> locks = List.of(leasehold.lock("a"), leasehold.lock("b"));
                CyclicBarrier start = new CyclicBarrier(3);
                List<java.util.concurrent.Future<?>> callers = new ArrayList<>();
                for (DistributedLock lock : locks) {
                    callers.add(threads.submit(() -> {
                        start.await();
                        try {
                            assertThat(lock.acquire().state()).isIn(LeaseState.HELD, LeaseState.RELEASED);
                        } catch (IllegalStateException closed) {
                            assertThat(closed).hasMessageContaining("closed");
                        }
                        return null;
                    }));
                }
                start.await();
                leasehold.close();
                for (var caller : callers) {
                    caller.get(10, TimeUnit.SECONDS);
                }
                try (Leasehold other = open(memory)) {
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
            CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
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
        Leasehold leasehold = open(store);
        assertThat(leasehold.lock("a").acquire().isValid()).isTrue();
        leasehold.close();
        assertThat(closer.get()).isEqualTo(Thread.currentThread().getName());
        ownThread.shutdownNow();
    }

    @Test
    void aClientThatIsClosedOnAnInterruptedThreadStillReleasesFirst() throws Exception {
        ExecutorService ownThread = Executors.newSingleThreadExecutor();
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch closing = new CountDownLatch(1);
        WrappedStore store = new WrappedStore() {
            @Override
            CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
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
        Leasehold leasehold = open(store);
        assertThat(leasehold.lock("a").acquire().isValid()).isTrue();
        Thread.currentThread().interrupt();
        Thread closer = Thread.currentThread();
        ownThread.execute(() -> {
            while (closer.getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            closing.countDown();
        });
        leasehold.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(log).containsExactly("released", "closed");
        ownThread.shutdownNow();
    }

    @Test
    void closingInTheBackgroundReleasesToo() throws Exception {
        WrappedStore store = new WrappedStore();
        Leasehold leasehold = open(store);
        Lease lease = leasehold.lock("a").acquire();
        leasehold.closeAsync().get(10, TimeUnit.SECONDS);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(store.closes).hasValue(1);
        leasehold.close();
        assertThat(store.closes).hasValue(1);
    }

    @Test
    void aFutureThatIsCancelledBehindABlockedExecutorDoesNotKeepItsLease() throws Exception {
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
            assertThat(leasehold.lock("a").tryAcquire(Duration.ofSeconds(10))).isPresent();
            stuck.forEach(Runnable::run);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void closingDoesNotWaitLongerThanTheStoreTimeout() throws Exception {
        WrappedStore store = new WrappedStore() {
            @Override
            CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                return new CompletableFuture<>();
            }
        };
        Leasehold leasehold = open(store);
        assertThat(leasehold.lock("a").acquire().isValid()).isTrue();
        leasehold.close();
        assertThat(store.closes).hasValue(1);
    }

    @Test
    void theThreadsOfAClosedClientEnd() throws Exception {
        Set<Thread> before = timerThreads();
        Leasehold leasehold = open(new WrappedStore());
        AtomicReference<Thread> callback = new AtomicReference<>();
        Lease lease = leasehold.lock("a").acquire();
        CountDownLatch told = new CountDownLatch(1);
        lease.onStateChange((which, state) -> {
            callback.set(Thread.currentThread());
            told.countDown();
        });
        lease.close();
        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
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

    @Test
    void aClientWhoseOptionsTheStoreRefusesClosesTheStore() {
        WrappedStore store = new WrappedStore() {
            @Override
            Duration maxLease(Store inner) {
                return Duration.ofSeconds(20);
            }
        };
        assertThatThrownBy(() -> open(store)).isInstanceOf(IllegalArgumentException.class);
        assertThat(store.closes).hasValue(1);
    }

    @Test
    void noTimeIsLongerThanTheStoreGrants() throws Exception {
        WrappedStore store = new WrappedStore() {
            @Override
            Duration maxLease(Store inner) {
                return Duration.ofSeconds(60);
            }
        };
        try (Leasehold leasehold = open(store)) {
            LockOptions options = LockOptions.defaults();
            Duration tooLong = Duration.ofSeconds(61);
            assertThatThrownBy(() -> leasehold.lock("a", options.withLeaseDuration(tooLong)))
                    .hasMessageContaining("PT1M");
            assertThatThrownBy(() -> leasehold.lock("a", options.withAtLeast(tooLong)))
                    .hasMessageContaining("atLeast");
            try (Lease lease = leasehold.lock("a").acquire()) {
                assertThatThrownBy(() -> lease.extend(tooLong)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    // ---- faulty stores ----

    @Test
    void whatTheEngineThrowsOnAThreadOfItsOwnShowsTheCallerToo() throws Exception {
        WrappedStore silent = new WrappedStore() {
            @Override
            CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return new CompletableFuture<>();
            }
        };
        try (Leasehold leasehold = open(silent)) {
            assertThatThrownBy(() -> callerOf(leasehold))
                    .isInstanceOf(StoreUnavailableException.class)
                    .satisfies(ClientTest::showsItsCaller)
                    .hasCauseInstanceOf(StoreUnavailableException.class);
        }
        ExecutorService ownThread = Executors.newSingleThreadExecutor();
        WrappedStore refusing = new WrappedStore() {
            @Override
            CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            throw new LockException("no right");
                        },
                        ownThread);
            }
        };
        try (Leasehold leasehold = open(refusing)) {
            assertThatThrownBy(() -> callerOf(leasehold))
                    .isExactlyInstanceOf(LockException.class)
                    .hasMessage("no right")
                    .satisfies(ClientTest::showsItsCaller);
        } finally {
            ownThread.shutdownNow();
        }
        try (Leasehold leasehold = open(new WrappedStore())) {
            Lease lease = leasehold.lock("a").acquire();
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("token " + lease.token());
        }
    }

    private static void callerOf(Leasehold leasehold) throws InterruptedException {
        assertThat(leasehold.lock("a").acquire()).isNotNull();
    }

    private static void showsItsCaller(Throwable thrown) {
        assertThat(thrown.getStackTrace())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("callerOf"));
    }

    @Test
    void whateverAStoreDoesWrongNobodyWaitsForEver() throws Exception {
        List<Supplier<CompletionStage<ClaimAnswer>>> faults = List.of(
                () -> {
                    throw new UnsatisfiedLinkError("no native library");
                },
                () -> {
                    throw new IllegalStateException("a bug");
                },
                () -> null,
                () -> CompletableFuture.completedFuture(null),
                () -> CompletableFuture.failedFuture(new ArithmeticException()));
        for (var fault : faults) {
            WrappedStore store = new WrappedStore() {
                @Override
                CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                    return fault.get();
                }
            };
            try (Leasehold leasehold = open(store)) {
                DistributedLock lock = leasehold.lock("a");
                assertThatThrownBy(lock::acquire).isInstanceOf(StoreUnavailableException.class);
                assertThat(store.operations.get())
                        .as("it is a failure, and tried again")
                        .isGreaterThan(2);
                assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
            }
        }
    }

    @Test
    void aStoreThatNeverAnswersIsNotWaitedForForEver() throws Exception {
        WrappedStore store = new WrappedStore() {
            @Override
            CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return new CompletableFuture<>();
            }
        };
        try (Leasehold leasehold = open(store)) {
            assertThatThrownBy(() -> leasehold.lock("a").acquire()).isInstanceOf(StoreUnavailableException.class);
        }
    }

    /** The queue of the lock is gone and made anew all the time; no event may fall in between. */
    @Test
    void noCallIsLostWhereQueuesComeAndGo() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Leasehold leasehold = open(new WrappedStore())) {
            DistributedLock lock = leasehold.lock("a");
            List<java.util.concurrent.Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(threads.submit(() -> {
                    for (int n = 0; n < 50_000; n++) {
                        lock.tryAcquire().ifPresent(Lease::close);
                    }
                    return null;
                }));
            }
            for (var caller : callers) {
                caller.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // ---- leases that nobody takes ----

    @Test
    void aLeaseForACallerThatIsGoneIsReleased() throws Exception {
        Client client = new Client(settings(new WrappedStore()));
        Caller gone = new Caller(LockOptions.defaults(), false, null);
        gone.outcome.cancel(false);
        client.join("a", gone);
        assertThat(client.inspect(NamePattern.of("*"))).isEmpty();
        client.close();
    }

    @Test
    void aGrantThatComesWhenTheQueueIsGoneIsReleased() {
        CompletableFuture<ClaimAnswer> late = new CompletableFuture<>();
        AtomicReference<Claim> asked = new AtomicReference<>();
        List<LeaseId> released = new ArrayList<>();
        WrappedStore store = new WrappedStore() {
            @Override
            CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                asked.set(claim);
                return late;
            }

            @Override
            CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                released.add(lease);
                return CompletableFuture.completedFuture(ReleaseAnswer.RELEASED);
            }
        };
        Client client = new Client(settings(store));
        Caller caller = new Caller(LockOptions.defaults().withAutoRenew(true), false, null);
        client.join("a", caller);
        LeaseId pushed = new LeaseId("a", asked.get().id(), 1);
        Validity validity = Validity.of(client.time().now(), Duration.ofSeconds(30));
        Objects.requireNonNull(store.signals).granted(pushed, 0, validity);
        Objects.requireNonNull(caller.outcome.join()).end();
        LeaseId again = new LeaseId("a", asked.get().id(), 2);
        late.complete(new ClaimAnswer.Granted(again, 0, validity));
        assertThat(released).containsExactly(pushed, again);
        client.close();
    }

    private static ClientSettings settings(StoreFactory store) {
        ClientSettings.Draft draft = new ClientSettings.Draft();
        draft.store(store);
        draft.storeTimeout(Duration.ofMillis(500));
        return draft.settings();
    }

    // ---- users' code ----

    @Test
    void usersCodeRunsOnTheirExecutorAndTheExecutorIsNotCalledByTheEngine() throws Exception {
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
            Lease lease = leasehold.lock("a").acquireAsync().get(10, TimeUnit.SECONDS);
            lease.onStateChange((which, state) -> {});
            lease.ended().thenRun(() -> {});
            lease.close();
            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
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
            assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
            try (Lease lease = leasehold.lock("b").acquire()) {
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(future).isNotDone();
            end.countDown();
        }
    }

    @Test
    void anExecutorThatRefusesDoesNotKeepAFutureFromCompleting() throws Exception {
        try (Leasehold leasehold = Leasehold.builder()
                .store(new WrappedStore())
                .executor(task -> {
                    throw new RejectedExecutionException("shut down");
                })
                .build()) {
            assertThat(leasehold
                            .lock("a")
                            .acquireAsync()
                            .get(10, TimeUnit.SECONDS)
                            .isValid())
                    .isTrue();
        }
    }

    @Test
    void aListenerMayWaitForALock() throws Exception {
        try (Leasehold leasehold = open(new WrappedStore())) {
            CompletableFuture<Boolean> acquired = new CompletableFuture<>();
            Lease lease = leasehold.lock("a").acquire();
            lease.onStateChange((which, state) -> {
                try (Lease other = leasehold.lock("b").acquireAsync().get()) {
                    acquired.complete(other.isValid());
                } catch (Exception e) {
                    acquired.completeExceptionally(e);
                }
            });
            lease.close();
            assertThat(acquired.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}

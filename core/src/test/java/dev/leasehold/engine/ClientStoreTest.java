package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
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
import dev.leasehold.engine.queue.Caller;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about stores that refuse, fail or are silent, and grants that nobody takes. */
class ClientStoreTest {

    @Test
    void aClientWhoseOptionsTheStoreRefusesClosesTheStore() {
        WrappedStore store = new WrappedStore() {
            @Override
            Duration maxLease(Store inner) {
                return Duration.ofSeconds(20);
            }
        };
        assertThatThrownBy(() -> ShortStoreTimeout.client(store)).isInstanceOf(IllegalArgumentException.class);
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
        try (Leasehold leasehold = ShortStoreTimeout.client(store)) {
            LockOptions options = LockOptions.defaults();
            Duration tooLong = Duration.ofSeconds(61);
            assertThatThrownBy(() -> leasehold.lock("a", options.withLeaseDuration(tooLong)))
                    .hasMessageContaining("100 ms to 60 s");
            assertThatThrownBy(() -> leasehold.lock("a", options.withMinHold(tooLong)))
                    .hasMessageContaining("minHold");
            try (Lease lease = leasehold.lock("a").acquire()) {
                assertThatThrownBy(() -> lease.extend(tooLong)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    /** Each call took as long as an outage, and an election would have asked for ever. */
    @Test
    void librariesThatDoNotFitFailAtOnce() throws Exception {
        WrappedStore unfit = new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                if (claim.lock().equals("fits")) {
                    return inner.claim(claim);
                }
                // The answer cannot be read.
                return inner.claim(claim).thenApply(granted -> {
                    throw new NoSuchMethodError("io.netty.Of(another.Version)");
                });
            }
        };
        try (Leasehold leasehold = Leasehold.builder()
                .store(unfit)
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofHours(1)))
                .storeTimeout(Duration.ofHours(1))
                .build()) {
            assertThatThrownBy(() -> leasehold.lock("a").acquire())
                    .isExactlyInstanceOf(LockException.class)
                    .hasMessageContaining("do not fit together: java.lang.NoSuchMethodError: io.netty.Of");
            // The client gives the lease back that the store granted all the same.
            await().until(() -> leasehold.locks("a").isEmpty());
            assertThat(leasehold.lock("fits").tryAcquire()).isPresent();
        }
    }

    @Test
    @DisplayName("A failure on a thread of the engine shows the caller too")
    void anEngineThreadsFailureShowsTheCallerToo() throws Exception {
        WrappedStore silent = new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return new CompletableFuture<>();
            }
        };
        try (Leasehold leasehold = ShortStoreTimeout.client(silent)) {
            assertThatThrownBy(() -> callerOf(leasehold))
                    .isInstanceOf(StoreUnavailableException.class)
                    .satisfies(ClientStoreTest::showsItsCaller)
                    .hasCauseInstanceOf(StoreUnavailableException.class);
        }
        ExecutorService ownThread = Executors.newSingleThreadExecutor();
        WrappedStore refusing = new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            throw new LockException("no right");
                        },
                        ownThread);
            }
        };
        try (Leasehold leasehold = ShortStoreTimeout.client(refusing)) {
            assertThatThrownBy(() -> callerOf(leasehold))
                    .isExactlyInstanceOf(LockException.class)
                    .hasMessage("no right")
                    .satisfies(ClientStoreTest::showsItsCaller);
        } finally {
            ownThread.shutdownNow();
        }
        try (Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore())) {
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
                    throw new InternalError("no native library");
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
                public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                    return fault.get();
                }
            };
            try (Leasehold leasehold = ShortStoreTimeout.client(store)) {
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
            public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                return new CompletableFuture<>();
            }
        };
        try (Leasehold leasehold = ShortStoreTimeout.client(store)) {
            assertThatThrownBy(() -> leasehold.lock("a").acquire()).isInstanceOf(StoreUnavailableException.class);
        }
    }

    /** The queue of the lock is gone and made anew all the time; no event may fall in between. */
    @Test
    void noCallIsLostWhereQueuesComeAndGo() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Leasehold leasehold = ShortStoreTimeout.client(new WrappedStore())) {
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
                caller.get(A_MINUTE, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aLeaseForACallerThatIsGoneIsReleased() throws Exception {
        Client client = new Client(ShortStoreTimeout.settings(new WrappedStore()));
        Caller gone = new Caller(LockOptions.defaults(), false, null);
        gone.outcome.cancel(false);
        client.post("a", 1, new Event.Join(gone));
        assertThat(client.inspect(NamePattern.of("*"))).isEmpty();
        client.closing().close(Duration.ZERO);
    }

    @Test
    void aGrantThatComesWhenTheQueueIsGoneIsReleased() {
        CompletableFuture<ClaimAnswer> late = new CompletableFuture<>();
        AtomicReference<Claim> asked = new AtomicReference<>();
        List<LeaseId> released = new ArrayList<>();
        WrappedStore store = new WrappedStore() {
            @Override
            public CompletionStage<ClaimAnswer> claim(Store inner, Claim claim) {
                asked.set(claim);
                return late;
            }

            @Override
            public CompletionStage<ReleaseAnswer> release(Store inner, LeaseId lease, Duration keepFor) {
                released.add(lease);
                return CompletableFuture.completedFuture(ReleaseAnswer.RELEASED);
            }
        };
        Client client = new Client(ShortStoreTimeout.settings(store));
        Caller caller = new Caller(LockOptions.defaults().withAutoRenew(true), false, null);
        client.post("a", 1, new Event.Join(caller));
        LeaseId pushed = new LeaseId("a", asked.get().id(), 1);
        Validity validity = Validity.of(client.time().now(), Duration.ofSeconds(30));
        Objects.requireNonNull(store.signals).granted(new Grant(pushed, 0), validity);
        Objects.requireNonNull(caller.outcome.join()).releaseAsync();
        LeaseId again = new LeaseId("a", asked.get().id(), 2);
        late.complete(new ClaimAnswer.Granted(again, 0, validity));
        assertThat(released).containsExactly(pushed, again);
        client.closing().close(Duration.ZERO);
    }
}

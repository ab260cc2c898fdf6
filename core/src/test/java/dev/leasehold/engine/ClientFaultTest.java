package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.engine.threads.SystemTime;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An Error in the middle of the engine leaves nothing behind that lasts. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClientFaultTest {

    private static final Duration PATIENT = Duration.ofSeconds(30);
    /** Long enough for a machine that stands still between two statements, as it is waited for once. */
    private static final LockOptions LASTING = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(5));

    private static final LockOptions SHORT = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(200));

    @Test
    @DisplayName("After an error in the engine callers fail, the holder learns of its loss, and the name lives on")
    void afterAnErrorInTheEngineTheNameLivesOn() throws Exception {
        FaultyTime time = new FaultyTime();
        try (SystemTime clocks = time.real;
                Leasehold leasehold = Leasehold.builder()
                        .store(WrappedStore.memory())
                        .timeSource(time)
                        .build()) {
            assertThat(clocks).isNotNull();
            Lease held = leasehold.lock("x", LASTING).acquire();
            CompletableFuture<Lease> waiting = leasehold.lock("x", LASTING).acquireAsync();
            time.fault.set(new OutOfMemoryError("simulated"));
            CompletableFuture<Optional<Lease>> unlucky =
                    leasehold.lock("x", LASTING).tryAcquireAsync(PATIENT);
            for (CompletableFuture<?> failed : List.of(waiting, unlucky)) {
                assertThatThrownBy(() -> failed.get(A_MINUTE, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("fault")
                        .hasRootCauseMessage("simulated");
            }
            assertThat(held.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
            assertThat(held.release()).isEqualTo(LeaseState.LOST);
            try (Lease again = leasehold.lock("x", LASTING).acquire()) {
                assertThat(again.token()).isGreaterThan(held.token());
            }
        }
    }

    /**
     * Callers deep in a recursion, on threads whose stack ends somewhere in the engine, each time elsewhere. Whatever becomes of
     * them, the names that they have used can be locked afterwards.
     */
    @Test
    void aStackThatEndsInTheEngineKillsNoName() throws Exception {
        // A fault on a stack with room first: the JVM never initialises a class again that a full stack has kept from
        // it.
        afterAnErrorInTheEngineTheNameLivesOn();
        try (Leasehold leasehold =
                Leasehold.builder().store(WrappedStore.memory()).build()) {
            AtomicInteger overflows = new AtomicInteger();
            // The stack may end before close() has begun: that lease is its holder's, who says so by the error.
            AtomicReference<@Nullable Lease> unclosed = new AtomicReference<>();
            for (int run = 0; run < 60; run++) {
                String name = "deep-" + run;
                int frame = run % 7;
                Thread thread = new Thread(
                        null,
                        () -> recurse(frame, () -> {
                            try {
                                Optional<Lease> lease =
                                        leasehold.lock(name, SHORT).tryAcquire();
                                // Not set by a later try that finds it taken.
                                if (lease.isPresent()) {
                                    unclosed.set(lease.get());
                                    lease.get().close();
                                    unclosed.set(null);
                                }
                            } catch (StackOverflowError e) {
                                overflows.incrementAndGet();
                                throw e;
                            } catch (StoreUnavailableException e) {
                                overflows.incrementAndGet();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        }),
                        "deep",
                        256 * 1024L);
                thread.setUncaughtExceptionHandler((same, e) -> {}); // A thousand lines each time.
                thread.start();
                thread.join();
                Optional.ofNullable(unclosed.getAndSet(null)).ifPresent(Lease::close);
                Optional<Lease> lease = leasehold.lock(name, SHORT).tryAcquire(PATIENT);
                assertThat(lease).as("the lock after run %s", run).isPresent();
                lease.orElseThrow().close();
            }
            assertThat(overflows).as("errors in or near the engine").hasPositiveValue();
        }
    }

    /** Recurses until the stack is full, and tries on its way back, where a little more is left each time. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private static long recurse(long padding, Runnable attempt) {
        try {
            return recurse(padding + 1, attempt) + padding;
        } catch (StackOverflowError e) {
            attempt.run();
            return padding;
        }
    }

    private static final class FaultyTime implements TimeSource {

        private final SystemTime real = new SystemTime("leasehold-timer-test");
        private final AtomicReference<@Nullable Error> fault = new AtomicReference<>();

        @Override
        public ClockReading now() {
            Error error = fault.getAndSet(null);
            if (error != null) {
                throw error;
            }
            return real.now();
        }

        @Override
        public long nanos() {
            return real.nanos();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return real.schedule(delay, task);
        }
    }
}

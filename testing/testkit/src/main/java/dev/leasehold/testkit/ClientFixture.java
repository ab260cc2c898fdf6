package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * A client fixture is what one test of the suite works with: clients of a store on a line that the test can disturb, and a
 * probe that sees the store itself. Opaque outside of the suite.
 */
public final class ClientFixture implements AutoCloseable {

    /** For what must happen. No correct program needs it, however busy its machine is. */
    static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** So long that who waits for its end does not see it. */
    static final Duration NEVER = Duration.ofMinutes(10);

    /** Short enough that a waiter asks again every other second, long enough not to be lost when the machine is slow. */
    static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));

    /** A lease so long that a trace left in the store does not run out while a test looks for it. */
    static final LockOptions LASTING = LockOptions.defaults().withLeaseDuration(NEVER);

    /** A lease whose end a test waits for. */
    static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(400));

    final FaultyStore store;
    private final RealTime time = new RealTime();
    private final List<Leasehold> clients = new CopyOnWriteArrayList<>();
    private final List<StoreClient> probes = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    ClientFixture(StoreFactory store) {
        this.store = FaultyStore.overSound(store);
    }

    Leasehold client() {
        return client(builder -> builder);
    }

    Leasehold client(UnaryOperator<LeaseholdBuilder> settings) {
        LeaseholdBuilder builder =
                Leasehold.builder().store(store).storeTimeout(LONGEST_WAIT).options(OPTIONS);
        Leasehold client = settings.apply(builder).build();
        clients.add(client);
        return client;
    }

    /** Returns a client that asks an unreachable store for longer than any test waits. */
    Leasehold patientClient() {
        return client(builder -> builder.storeTimeout(NEVER).options(LASTING));
    }

    /** Counts the renewals from now on, without faults. */
    AtomicInteger renewals() {
        AtomicInteger renewals = new AtomicInteger();
        store.plan(message -> {
            if (message == FaultPlan.Message.RENEW) {
                renewals.incrementAndGet();
            }
            return Fault.NONE;
        });
        return renewals;
    }

    /** Returns a client with a short store timeout, which soon fails on an unreachable store. */
    Leasehold clientWithShortTimeout() {
        return client(builder -> builder.storeTimeout(Duration.ofMillis(300)));
    }

    /**
     * Returns a probe, which sees and uses the store without faults and without an engine: another process, as it were.
     */
    StoreClient probe() {
        StoreClient probe = new StoreClient(store.real(), "", "elsewhere", time);
        probes.add(probe);
        return probe;
    }

    String lock() {
        return "lock-" + UUID.randomUUID();
    }

    <T> CompletableFuture<T> inThread(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(work.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                "testkit-worker");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return result;
    }

    /** Returns the thread that {@link #inThread} has started last. */
    Thread newestThread() {
        return threads.get(threads.size() - 1);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A store that cannot be reached is asked again: a busy machine may take seconds for a client's first connection. */
    static void eventually(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!holds(condition)) {
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("waiting until %s", what)
                    .isLessThan(LONGEST_WAIT);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        store.plan(FaultPlan.none());
        threads.forEach(Thread::interrupt);
        clients.forEach(client -> client.close(Duration.ZERO));
        probes.forEach(StoreClient::close);
        time.close();
    }
}

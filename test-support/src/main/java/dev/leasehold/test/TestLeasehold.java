package dev.leasehold.test;

import dev.leasehold.HolderInfo;
import dev.leasehold.LeaseListener;
import dev.leasehold.Leasehold;
import dev.leasehold.LockInfo;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * A {@link Leasehold} for tests of code that uses locks: a real one, over a store in memory, whose time stands still until
 * the test moves it, and whose locks the test can have held elsewhere or lost. Thread-safe.
 *
 * <pre>{@code
 * try (TestLeasehold locks = TestLeasehold.create()) {
 *     Importer importer = new Importer(locks.leasehold());
 *
 *     try (HeldElsewhere other = locks.holdElsewhere("import")) {
 *         assertThat(importer.tryRun()).isEqualTo(SKIPPED);
 *     }
 *
 *     importer.begin();
 *     locks.lose("import");
 *     assertThat(importer.state()).isEqualTo(ABORTED);
 * }
 * }</pre>
 *
 * <p>Listeners ({@link LeaseListener}) and dependent actions of futures run on threads of this object. Its methods wait for
 * them before they return, unless they block; so what they do is done when {@link #lose} or {@link #advance} returns.
 * Threads of the test that wait for a lock go on by themselves: join them.
 */
public final class TestLeasehold implements AutoCloseable {

    private static final Duration STEP = Duration.ofMillis(100);
    private static final long STEP_WAIT_NANOS = 100_000;

    private final VirtualTime time = new VirtualTime();
    private final SettledExecutor callbacks = new SettledExecutor();
    private final SwitchableStore store = new SwitchableStore(memory());
    private final Elsewhere elsewhere = new Elsewhere(store.real(), time);
    private final Leasehold leasehold;

    private TestLeasehold(LockOptions options) {
        leasehold = Leasehold.builder()
                .store(store)
                .timeSource(time)
                .executor(callbacks)
                .label("under test")
                .options(options)
                .build();
    }

    /**
     * Makes one, with default options.
     *
     * @return the object, to be closed by the caller
     */
    public static TestLeasehold create() {
        return create(LockOptions.defaults());
    }

    /**
     * Makes one.
     *
     * @param options how locks are held for which the code under test gives no options
     * @return the object, to be closed by the caller
     */
    public static TestLeasehold create(LockOptions options) {
        return new TestLeasehold(options);
    }

    /**
     * What the code under test is given.
     *
     * @return always the same object; closed together with this one
     */
    public Leasehold leasehold() {
        return leasehold;
    }

    /**
     * The time by which locks and leases live.
     *
     * @return the time; it begins at the start of the year 2026
     */
    public VirtualTime time() {
        return time;
    }

    /**
     * Has a lock held by some other client, until the handle is released or crashes.
     *
     * @param name the lock's name
     * @return the handle
     * @throws IllegalStateException if the lock is taken
     */
    public HeldElsewhere holdElsewhere(String name) {
        HeldElsewhere held = elsewhere.hold(name);
        settle();
        return held;
    }

    /**
     * Has a lock lost by whoever holds it here, as if an operator had broken it: its lease becomes {@link
     * dev.leasehold.LeaseState#LOST}. The next in the queue gets it; if that should be somebody else, call {@link
     * #holdElsewhere} afterwards.
     *
     * @param name the lock's name
     * @throws IllegalStateException if the code under test does not hold the lock, or the store is down
     */
    public void lose(String name) {
        if (store.isDown()) {
            throw new IllegalStateException(
                    "while the store is down nobody learns of a loss before the deadline; call storeUp() first, or advance");
        }
        HolderInfo holder = find(name)
                .map(LockInfo::holder)
                .filter(found -> !elsewhere.holds(name, found.token()))
                .orElseThrow(() -> new IllegalStateException("the code under test does not hold '" + name + "'"));
        elsewhere.breakLease(name, holder.token());
        settle();
    }

    /**
     * Whether a lock is held here, as the store sees it.
     *
     * @param name the lock's name
     * @return false if it is free or held elsewhere
     */
    public boolean isHeldHere(String name) {
        return find(name)
                .map(LockInfo::holder)
                .filter(found -> !found.owner().isEmpty() && !elsewhere.holds(name, found.token()))
                .isPresent();
    }

    /**
     * How many clients wait for a lock: 1 if any caller of the code under test does.
     *
     * @param name the lock's name
     * @return the number
     */
    public int waiters(String name) {
        return find(name).map(info -> info.waiters().size()).orElse(0);
    }

    /**
     * Lets time pass: leases are renewed, run out, waits end.
     *
     * @param duration how long
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        settle();
        time.advance(duration);
        settle();
    }

    /** Cuts the code under test off from the store: nothing arrives there and nothing comes back. */
    public void storeDown() {
        store.down(true);
    }

    /** Ends what {@link #storeDown} began. */
    public void storeUp() {
        store.down(false);
        settle();
    }

    /** Closes the {@link Leasehold}, which lets nothing be held any longer, and ends the threads. */
    @Override
    public void close() {
        store.down(false);
        CompletableFuture<Void> closing = new CompletableFuture<>();
        Thread closer = new Thread(
                () -> {
                    leasehold.close(Duration.ZERO);
                    closing.complete(null);
                },
                "leasehold-test-closer");
        closer.setDaemon(true);
        closer.start();
        // What is still to be released is repeated in virtual time.
        while (!closing.isDone()) {
            time.advance(STEP);
            LockSupport.parkNanos(STEP_WAIT_NANOS);
        }
        callbacks.close();
    }

    private Optional<LockInfo> find(String name) {
        List<LockInfo> all = elsewhere.inspect(NamePattern.of("*"));
        return all.stream().filter(info -> info.name().equals(name)).findFirst();
    }

    private void settle() {
        time.advance(Duration.ZERO);
        callbacks.settle();
    }

    private static StoreFactory memory() {
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, TestLeasehold.class.getClassLoader())) {
            if (provider.schemes().contains("memory")) {
                return provider.create(StoreUri.parse("memory:"));
            }
        }
        throw new IllegalStateException("the store in memory, a part of leasehold-core, is missing");
    }
}

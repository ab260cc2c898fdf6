package dev.leasehold.test;

import dev.leasehold.LeaseListener;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A test Leasehold is a {@link Leasehold} for tests of code that uses locks: a real one, over a store in memory, whose time
 * stands still until the test moves it, and whose locks the test can have held elsewhere or lost. Thread-safe.
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
 *
 *     // importer.waitFor(Duration.ofMinutes(1)) waits for the lock for so long.
 *     locks.holdElsewhere("import");
 *     assertThat(locks.whileTimePasses(() -> importer.waitFor(Duration.ofMinutes(1)))).isEqualTo(SKIPPED);
 * }
 * }</pre>
 *
 * <p><b>The time stands still.</b> Code that waits for a lock with a limit waits for ever, unless the test moves the time: call
 * such code in {@link #whileTimePasses}, or on a thread of its own, and {@link #advance}. If it has waited for some ten seconds of
 * real time, a warning says so, once.
 *
 * <p>Listeners ({@link LeaseListener}) and dependent actions of futures run on threads of this object. Its methods wait for
 * them before they return, unless they block; so they have run when {@link #lose} or {@link #advance} returns.
 * Threads of the test that wait for a lock go on by themselves: join them.
 */
public final class TestLeasehold implements AutoCloseable {

    private static final Duration STEP = Duration.ofMillis(100);
    private static final long STEP_WAIT_NANOS = 100_000;

    private static final String LABEL = "under test";
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** An action is something that code under test does. */
    @FunctionalInterface
    public interface Action {

        /**
         * Runs the action.
         *
         * @throws Exception if the code under test throws it
         */
        void run() throws Exception;
    }

    private final VirtualTime time = new VirtualTime();
    private final SettledExecutor callbacks = new SettledExecutor();
    private final StandingTime standing = new StandingTime(
            time, this::waiters, CompletableFuture.delayedExecutor(StandingTime.WARN_AFTER_SECONDS, TimeUnit.SECONDS));
    private final SwitchableStore store = new SwitchableStore(memory(), standing::queued);
    private final Elsewhere elsewhere = new Elsewhere(store.real(), time);
    private final LockOptions options;
    private final Leasehold leasehold;
    private final List<Leasehold> others = new CopyOnWriteArrayList<>();
    private volatile boolean paused;

    private TestLeasehold(LockOptions options, LeaseholdObserver... observers) {
        this.options = options;
        leasehold = client(store, LABEL, observers);
    }

    private Leasehold client(StoreFactory of, String label, LeaseholdObserver... observers) {
        LeaseholdBuilder builder = Leasehold.builder()
                .store(of)
                .timeSource(time)
                .executor(callbacks)
                .label(label)
                .options(options);
        for (LeaseholdObserver observer : observers) {
            builder.observer(observer);
        }
        return builder.build();
    }

    /**
     * Makes a test Leasehold with default options.
     *
     * @return the object, to be closed by the caller
     */
    public static TestLeasehold create() {
        return create(LockOptions.defaults());
    }

    /**
     * Makes a test Leasehold.
     *
     * @param options how locks are held for which the code under test gives no options
     * @return the object, to be closed by the caller
     */
    public static TestLeasehold create(LockOptions options) {
        return new TestLeasehold(options);
    }

    /**
     * Makes a test Leasehold whose client has observers: for tests of an observer, or of what code is seen to do. What
     * happens in {@link #advance} or {@link #lose} has been told to them when these return.
     *
     * @param options how locks are held for which the code under test gives no options
     * @param observers the observers of the client for the code under test
     * @return the object, to be closed by the caller
     */
    public static TestLeasehold create(LockOptions options, LeaseholdObserver... observers) {
        return new TestLeasehold(options, observers);
    }

    /** {@return the client for the code under test, always the same object; it is closed together with this one} */
    public Leasehold leasehold() {
        return leasehold;
    }

    /**
     * Makes another client of the same locks, as another process would have it: for tests with two instances of the code
     * under test. {@link #storeDown}, {@link #loseAnswers} and {@link #lose} do not concern it.
     *
     * @return a new one, closed together with this object
     */
    public Leasehold anotherClient() {
        Leasehold another = client(store.real(), "another client");
        others.add(another);
        return another;
    }

    /** {@return the time by which locks and leases live; it begins at the start of the year 2026} */
    public VirtualTime time() {
        return time;
    }

    /**
     * Has a lock held by some other client, until the handle is released or crashes.
     *
     * @param name the lock's name
     * @return the handle
     * @throws IllegalStateException if the lock is taken; the message says by whom, and until when
     */
    public HeldElsewhere holdElsewhere(String name) {
        HeldElsewhere held = elsewhere.hold(name);
        settle();
        return held;
    }

    /**
     * Makes the client under test lose a lock that it holds, the oldest of its holds if it has several, as if an operator had
     * broken it: its lease becomes {@link dev.leasehold.LeaseState#LOST}. The next in the queue gets the lock; if that should be somebody else, call {@link
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
        HolderInfo holder = holderHere(name)
                .orElseThrow(() -> new IllegalStateException("the code under test does not hold '" + name + "'"));
        elsewhere.breakLease(name, holder.token());
        settle();
    }

    /**
     * Makes the client under test lose a lock, as {@link #lose} does, and has some other client hold it from then on.
     *
     * @param name the lock's name
     * @return the other client's handle
     * @throws IllegalStateException as {@link #lose}; or if somebody waits for the lock, who would have it next
     */
    public HeldElsewhere loseToElsewhere(String name) {
        int waiting = waiters(name);
        if (waiting > 0) {
            throw new IllegalStateException(
                    waiting + " wait for '" + name + "', and one of them would have it next: call lose() instead");
        }
        lose(name);
        return holdElsewhere(name);
    }

    private Optional<HolderInfo> holderHere(String name) {
        return find(name).stream()
                .flatMap(info -> info.holders().stream())
                .filter(found -> found.owner().endsWith("label=" + LABEL))
                .findFirst();
    }

    /**
     * Returns whether a lock is held here, as the store sees it.
     *
     * @param name the lock's name
     * @return false if it is free or held elsewhere
     */
    public boolean isHeldHere(String name) {
        return holderHere(name).isPresent();
    }

    /**
     * Returns how many clients wait for a lock: all callers of one client are one, {@link #anotherClient()} is another.
     *
     * @param name the lock's name
     * @return the number
     */
    public int waiters(String name) {
        return find(name).map(info -> info.waiters().size()).orElse(0);
    }

    /**
     * Waits, in real time, until so many clients wait for a lock, on threads that the test has started for that. The time
     * of the locks does not move.
     *
     * @param name the lock's name
     * @param number how many, counted as by {@link #waiters}
     * @throws IllegalStateException if there are not so many within ten seconds
     */
    public void awaitWaiters(String name, int number) {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        for (int found = waiters(name); found < number; found = waiters(name)) {
            if (System.nanoTime() - end >= 0) {
                throw new IllegalStateException(
                        "after ten seconds " + found + " of " + number + " wait for '" + name + "'");
            }
            LockSupport.parkNanos(STEP_WAIT_NANOS);
        }
    }

    /**
     * Calls code that waits for a lock, on this thread, with time passing for as long as it waits. Time passes a thousand
     * times as fast as real time at most, so a wait for a minute takes 60 ms.
     *
     * @param <T> what the code returns
     * @param body the code, called on this thread
     * @return its result
     * @throws Exception if the code throws it
     */
    public <T> T whileTimePasses(Callable<T> body) throws Exception {
        PassingTime passing = PassingTime.whileThisThreadWaits(time);
        try {
            return body.call();
        } finally {
            passing.end();
            settle();
        }
    }

    /**
     * Runs code that waits for a lock, as {@link #whileTimePasses(Callable)} does.
     *
     * @param body the code, run on this thread
     * @throws Exception if the code throws it
     */
    public void whileTimePasses(Action body) throws Exception {
        whileTimePasses(() -> {
            body.run();
            return Optional.empty();
        });
    }

    /**
     * Pauses the code under test, as a long garbage collection or a stopped container does: time passes, and nothing is
     * renewed. If that takes longer than a lease, the lease is lost, and its holder learns of it when the pause is over.
     *
     * @param duration how long
     * @throws IllegalArgumentException if it is negative
     */
    public void pause(Duration duration) {
        pause(duration, () -> {});
    }

    /**
     * Pauses the code under test, and has others do something before it goes on: {@link #holdElsewhere}, for example, takes
     * a lock whose lease has run out during the pause.
     *
     * @param duration how long
     * @param meanwhile the actions of others, at the end of the pause
     * @throws IllegalArgumentException if the duration is negative
     */
    public void pause(Duration duration, Runnable meanwhile) {
        settle();
        paused = true;
        try {
            time.pause(duration);
            meanwhile.run();
        } finally {
            paused = false;
        }
        settle();
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

    /**
     * Frees all locks that stay taken though nobody has them any more: those that were held for less than their {@code
     * minHold}, and those of a holder that has crashed. So one test leaves nothing to the next.
     */
    public void freeKept() {
        elsewhere.freeKept();
        settle();
    }

    /** Cuts the code under test off from the store: nothing arrives there and nothing comes back. */
    public void storeDown() {
        store.down(true);
    }

    /**
     * Loses all answers of the store to the code under test: its requests are carried out, and it does not hear of it. Nor
     * does it hear of anything else.
     */
    public void loseAnswers() {
        store.loseAnswers();
    }

    /** Ends the state that {@link #storeDown} or {@link #loseAnswers} began. */
    public void storeUp() {
        store.down(false);
        settle();
    }

    /** Closes the {@link Leasehold}, which ends all holds, and ends the threads. */
    @Override
    public void close() {
        store.down(false);
        CompletableFuture<Void> closing = new CompletableFuture<>();
        Runnable closer = () -> {
            leasehold.close(Duration.ZERO);
            others.forEach(other -> other.close(Duration.ZERO));
            closing.complete(null);
        };
        DaemonThreads.named("leasehold-test-closer").newThread(closer).start();
        // Releases that are still to be repeated are repeated in virtual time.
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
        if (paused) {
            return;
        }
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

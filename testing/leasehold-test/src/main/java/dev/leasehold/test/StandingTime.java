package dev.leasehold.test;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A standing time is one that nobody moves while a caller waits for a lock. A wait with a limit never ends then, and the test
 * hangs without a word; so a warning says so once, after some seconds of real time.
 */
final class StandingTime {

    static final long WARN_AFTER_SECONDS = 10;

    private static final Logger LOG = System.getLogger("dev.leasehold.test");

    private final VirtualTime time;
    private final ToIntFunction<String> waiters;
    private final Executor later;
    private final AtomicReference<@Nullable Queued> newest = new AtomicReference<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean told = new AtomicBoolean();

    /** A queued claim waits for a lock since a moment of the test's time. */
    private record Queued(String lock, long nanos) {}

    /**
     * Makes one.
     *
     * @param waiters counts the clients that wait for a lock
     * @param later runs a task when {@value #WARN_AFTER_SECONDS} seconds of real time are over
     */
    StandingTime(VirtualTime time, ToIntFunction<String> waiters, Executor later) {
        this.time = time;
        this.waiters = waiters;
        this.later = later;
    }

    /** Notes that a claim has joined the queue of a lock. The newest is looked after: if the test hangs, it is that one. */
    void queued(String lock) {
        newest.set(new Queued(lock, time.nanos()));
        begin();
    }

    private void begin() {
        Queued seen = newest.get();
        if (seen != null && !told.get() && looking.compareAndSet(false, true)) {
            later.execute(() -> look(seen));
        }
    }

    private void look(Queued seen) {
        if (time.nanos() == seen.nanos() && waiters.applyAsInt(seen.lock()) > 0 && told.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "a caller has waited for ''{0}'' for {1} seconds of real time, and the time of the TestLeasehold stands"
                            + " still: a wait with a limit never ends unless the test lets time pass. Call the code in"
                            + " whileTimePasses(...), or on another thread, and advance(...)",
                    seen.lock(),
                    WARN_AFTER_SECONDS);
        }
        looking.set(false);
        if (!seen.equals(newest.get())) {
            begin();
        }
    }
}

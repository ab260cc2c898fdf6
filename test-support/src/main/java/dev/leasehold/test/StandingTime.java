package dev.leasehold.test;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;

/**
 * A standing time is one that nobody moves while a caller waits for a lock. A wait with a limit never ends then, and the test
 * hangs without a word; so it is told once, in the log, after some seconds of real time.
 */
final class StandingTime {

    static final long PATIENCE_SECONDS = 10;

    private static final Logger LOG = System.getLogger("dev.leasehold.test");

    private final VirtualTime time;
    private final ToIntFunction<String> waiters;
    private final Executor later;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * Makes one.
     *
     * @param waiters counts the clients that wait for a lock
     * @param later runs a task when {@value #PATIENCE_SECONDS} seconds of real time are over
     */
    StandingTime(VirtualTime time, ToIntFunction<String> waiters, Executor later) {
        this.time = time;
        this.waiters = waiters;
        this.later = later;
    }

    /** Notes that a claim has joined the queue of a lock. */
    void queued(String lock) {
        if (!told.get() && looking.compareAndSet(false, true)) {
            long seen = time.nanos();
            later.execute(() -> look(lock, seen));
        }
    }

    private void look(String lock, long seen) {
        looking.set(false);
        if (time.nanos() == seen && waiters.applyAsInt(lock) > 0 && told.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "a caller has waited for ''{0}'' for {1} seconds of real time, and the time of the TestLeasehold stands"
                            + " still: a wait with a limit never ends unless the test lets time pass. Call the code in"
                            + " whileTimePasses(...), or on another thread, and advance(...)",
                    lock,
                    PATIENCE_SECONDS);
        }
    }
}

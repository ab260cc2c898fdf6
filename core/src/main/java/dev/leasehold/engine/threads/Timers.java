package dev.leasehold.engine.threads;

import dev.leasehold.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Timers are a client's scheduled tasks, and the rule for how long the one thread sleeps that runs them.
 *
 * <p>A caller only adds its task to a {@link TimerQueue}, and wakes the thread if that sleeps for too long. Almost every
 * task here is cancelled long before its time: a lock is released before its renewal is due. So while tasks come in, the
 * thread looks for them once in 18 ms by itself, and nobody wakes it for a task that is due later than its next look.
 *
 * <p>Clock and thread are given, so that the simulator runs these same timers on virtual time.
 */
final class Timers {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 4;

    /**
     * The thread looks for new tasks at this interval. It is just below the 20 ms after which a pushed grant is confirmed by a
     * renewal, so that these renewals do not wake the thread either.
     */
    private static final long BEAT_NANOS = 18_000_000;

    private static final long AWAKE = Long.MIN_VALUE;

    private final TimerQueue queue = new TimerQueue();
    private final LongSupplier clock;
    private final Runnable wake;

    /** A multiple of the width of slots, so that renewals that fall onto common times begin a slot. */
    private final long origin;

    /** When the thread looks again by itself. A caller reads it after it has added its task, the thread looks for tasks after writing it. */
    private volatile long looksAt = TimerQueue.NEVER;

    /**
     * @param clock the monotonic clock
     * @param wake wakes the thread, or starts it; while it is awake, its next {@link #look} comes at once
     */
    Timers(LongSupplier clock, Runnable wake) {
        this.clock = clock;
        this.wake = wake;
        origin = clock.getAsLong() & -TimerQueue.WIDTH_NANOS;
    }

    Timer schedule(Duration delay, Runnable task) {
        long nanos = delay.compareTo(Duration.ofNanos(LONGEST_DELAY_NANOS)) > 0
                ? LONGEST_DELAY_NANOS
                : Math.max(0, delay.toNanos());
        long now = elapsed();
        Timer timer = queue.add(now + nanos, task);
        if (now + Math.min(nanos, BEAT_NANOS) < looksAt) {
            wake.run();
        }
        return timer;
    }

    /**
     * Runs what is due, on the one thread.
     *
     * @return how long the thread sleeps, unless it is woken; 0 if it looks again at once
     */
    long look() {
        looksAt = AWAKE;
        boolean news = queue.sort();
        long next = queue.runDue(elapsed());
        long until = news ? Math.min(next, elapsed() + BEAT_NANOS) : next;
        looksAt = until;
        return queue.hasNews() ? 0 : Math.max(1, until - elapsed());
    }

    private long elapsed() {
        return clock.getAsLong() - origin;
    }
}

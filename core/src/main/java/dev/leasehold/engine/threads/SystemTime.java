package dev.leasehold.engine.threads;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The system time is made of the system's clocks and one daemon thread for scheduled tasks.
 *
 * <p>Almost every task here is cancelled long before its time: a lock is released before its renewal is due. Each would
 * still wake the thread if it became the first in line, twice per use of a lock. So there is always something earlier in
 * line while tasks come in that are due soon: a beat that does nothing, at most once in 18 ms, and none when nothing is
 * scheduled. Those that are far off wake it once for a bucket.
 *
 * <p>The tasks are the one structure that all locks of a client share, a heap and {@link TimerBuckets}, and callers change it
 * on their own stack. A stack that ended in the middle of that would leave a hole in it, and no lock of this client would
 * work again. So each change begins with a look whether there is room for it ({@link #requireStack}).
 */
public final class SystemTime implements TimeSource, AutoCloseable {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 4;

    private static final long MOST_APART_NANOS = 1_000_000;
    private static final int MOST_TRIES = 10;

    /** These are more frames than the executor needs to change its heap, each larger than a compiled one must be. */
    private static final int FRAMES = 48;

    /**
     * Beats come at this interval. It is just below the 20 ms after which a pushed grant is confirmed by a renewal, so
     * that these renewals do not wake the thread either.
     */
    private static final long BEAT_NANOS = 18_000_000;

    private final ScheduledThreadPoolExecutor timers;
    private final TimerBuckets buckets;
    private final AtomicLong nextBeat = new AtomicLong(System.nanoTime());

    public SystemTime(String threadName) {
        timers = new ScheduledThreadPoolExecutor(
                1, DaemonThreads.named(threadName), new ThreadPoolExecutor.DiscardPolicy());
        timers.setRemoveOnCancelPolicy(true);
        buckets = new TimerBuckets(System::nanoTime, this::exactly);
    }

    /**
     * Reads both clocks, and reads again if the thread was held up between the two: that would look like a clock that was
     * set.
     */
    @Override
    public ClockReading now() {
        for (int tries = 1; ; tries++) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long after = System.nanoTime();
            if (after - before <= MOST_APART_NANOS || tries == MOST_TRIES) {
                return new ClockReading(after, wall.getEpochSecond() * 1_000_000 + wall.getNano() / 1000);
            }
        }
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        long nanos = delay.compareTo(Duration.ofNanos(LONGEST_DELAY_NANOS)) > 0
                ? LONGEST_DELAY_NANOS
                : Math.max(0, delay.toNanos());
        requireStack();
        if (nanos >= TimerBuckets.LEAST_DELAY_NANOS) {
            return buckets.schedule(nanos, task);
        }
        if (nanos > BEAT_NANOS) {
            beat();
        }
        return exactly(nanos, task);
    }

    private Timer exactly(long nanos, Runnable task) {
        ScheduledFuture<?> scheduled = timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> {
            requireStack();
            scheduled.cancel(false);
        };
    }

    /** Lets a stack that is nearly full end here, where nothing is half done. */
    static void requireStack() {
        if (used(FRAMES) != FRAMES) {
            throw new AssertionError("no frame is left out");
        }
    }

    private static int used(int frames) {
        return frames == 0 ? 0 : used(frames - 1) + 1;
    }

    private void beat() {
        long now = System.nanoTime();
        long next = nextBeat.get();
        if (now - next >= 0 && nextBeat.compareAndSet(next, now + BEAT_NANOS)) {
            timers.schedule(() -> {}, BEAT_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}

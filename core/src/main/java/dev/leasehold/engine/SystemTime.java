package dev.leasehold.engine;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clocks of the system, and one daemon thread for what is to happen later. */
final class SystemTime implements TimeSource, AutoCloseable {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 4;

    private static final long MOST_APART_NANOS = 1_000_000;
    private static final int MOST_TRIES = 10;

    private final ScheduledThreadPoolExecutor timers;

    SystemTime(String threadName) {
        timers = new ScheduledThreadPoolExecutor(
                1, DaemonThreads.named(threadName), new ThreadPoolExecutor.DiscardPolicy());
        timers.setRemoveOnCancelPolicy(true);
    }

    /** Reads again if the thread was held up between the two clocks: that would look like a clock that was set. */
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
        ScheduledFuture<?> scheduled = timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}

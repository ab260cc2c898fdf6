package dev.leasehold.testkit;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Real time is this machine's clocks, for stores that are opened without a client. */
public final class RealTime implements TimeSource, AutoCloseable {

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "testkit-timer");
        thread.setDaemon(true);
        return thread;
    });

    public RealTime() {
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public ClockReading now() {
        return new ClockReading(System.nanoTime(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        Future<?> scheduled = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}

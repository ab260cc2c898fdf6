package dev.leasehold.zookeeper;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** The test time is this machine's clocks, of which the wall clock can be set. */
@Tag("slow")
final class TestTime implements TimeSource, AutoCloseable {

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "test-timer");
        thread.setDaemon(true);
        return thread;
    });
    private volatile Duration ahead = Duration.ZERO;

    TestTime() {
        timer.setRemoveOnCancelPolicy(true);
    }

    void jumpWallClock(Duration by) {
        ahead = ahead.plus(by);
    }

    @Override
    public ClockReading now() {
        return new ClockReading(
                System.nanoTime(),
                ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(ahead)));
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

package dev.leasehold.jdbc;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The clocks of the system, for clients in tests. */
final class RealTime implements TimeSource {

    static final RealTime INSTANCE = new RealTime();

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "test-timer");
        thread.setDaemon(true);
        return thread;
    });

    private RealTime() {}

    @Override
    public ClockReading now() {
        return new ClockReading(System.nanoTime(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        ScheduledFuture<?> scheduled = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }
}

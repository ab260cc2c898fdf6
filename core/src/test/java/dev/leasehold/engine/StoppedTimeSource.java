package dev.leasehold.engine;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;

/** A stopped time source is a clock that stands still. What is scheduled never comes. */
public class StoppedTimeSource implements TimeSource {

    @Override
    public ClockReading now() {
        return new ClockReading(1_000, 1_800_000_000_000_000L);
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        return () -> {};
    }
}

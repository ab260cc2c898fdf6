package dev.leasehold.engine;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A sleep watch notices that the machine has slept or a clock was set. Once a second, while its client has something to
 * lose, it compares how far the two clocks have moved since the last look. Timers go by the clock that stops in sleep, so
 * without this a holder would learn of it only at its next renewal. A client has one timer for that, however many locks it
 * holds.
 */
final class SleepWatch {

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final long NOTICEABLE_NANOS = 50_000_000L;

    private final TimeSource time;
    private final BooleanSupplier wanted;
    private final Runnable whenNoticed;
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * Makes a watch that does not run yet.
     *
     * @param wanted whether there is anything to lose
     * @param whenNoticed has everything looked at
     */
    SleepWatch(TimeSource time, BooleanSupplier wanted, Runnable whenNoticed) {
        this.time = time;
        this.wanted = wanted;
        this.whenNoticed = whenNoticed;
    }

    /** Starts the watch unless it runs already. */
    void begin() {
        if (!running.get() && running.compareAndSet(false, true)) {
            comeBack(time.now());
        }
    }

    private void comeBack(ClockReading last) {
        time.schedule(EVERY, () -> look(last));
    }

    private void look(ClockReading last) {
        ClockReading now = time.now();
        if (now.divergenceSince(last) > NOTICEABLE_NANOS) {
            whenNoticed.run();
        }
        if (wanted.getAsBoolean()) {
            comeBack(now);
            return;
        }
        running.set(false);
        if (wanted.getAsBoolean()) {
            begin();
        }
    }
}

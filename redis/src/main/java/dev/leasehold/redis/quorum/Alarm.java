package dev.leasehold.redis.quorum;

import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something to be done later, in the turns of a claim: once, and not at all if it is called off there before, however late the
 * timer is. Used in those turns only.
 */
final class Alarm {

    private final TimeSource time;
    private final Turns turns;
    private @Nullable Runnable task;
    private TimeSource.@Nullable Timer timer;
    private long settings;

    Alarm(TimeSource time, Turns turns) {
        this.time = time;
        this.turns = turns;
    }

    boolean isSet() {
        return task != null;
    }

    /** Replaces what it was set to before. */
    void set(Duration delay, Runnable what) {
        stop();
        task = what;
        long setting = ++settings;
        timer = time.schedule(delay, () -> turns.run(() -> ring(setting)));
    }

    private void ring(long setting) {
        Runnable due = task;
        if (due != null && setting == settings) {
            task = null;
            due.run();
        }
    }

    void stop() {
        TimeSource.Timer armed = timer;
        if (armed != null) {
            armed.cancel();
        }
        task = null;
        timer = null;
    }
}

package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A serial timer is a one-shot timer whose task runs in the claim's serial executor. Cancelling it there guarantees that the
 * task does not run, even if the timer has already fired. Used by tasks of that executor only.
 */
final class SerialTimer {

    private final TimeSource time;
    private final SerialExecutor serial;
    private @Nullable Runnable task;
    private TimeSource.@Nullable Timer timer;
    private long settings;

    SerialTimer(TimeSource time, SerialExecutor serial) {
        this.time = time;
        this.serial = serial;
    }

    boolean isSet() {
        return task != null;
    }

    /** Sets the timer, in place of the task that it was set to before. */
    void set(Duration delay, Runnable what) {
        stop();
        task = what;
        long setting = ++settings;
        timer = time.schedule(delay, () -> serial.execute(() -> ring(setting)));
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

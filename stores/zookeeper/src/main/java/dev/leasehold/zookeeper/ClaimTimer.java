package dev.leasehold.zookeeper;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A claim timer knows when a claim or its lease ends, and has the one timer of the claim, which is armed for that end
 * or for something that is due before it. Used by tasks of the client's serial executor only.
 */
final class ClaimTimer {

    private final TimeSource time;
    private final SerialExecutor serial;
    private final LongUnaryOperator dueBefore;
    private final Runnable task;
    private long end;
    private TimeSource.@Nullable Timer timer;
    private long at;

    /**
     * Begins unarmed.
     *
     * @param dueBefore says when something is due, given the end: that end, or an earlier time
     */
    ClaimTimer(TimeSource time, SerialExecutor serial, LongUnaryOperator dueBefore, Runnable task) {
        this.time = time;
        this.serial = serial;
        this.dueBefore = dueBefore;
        this.task = task;
    }

    long end() {
        return end;
    }

    void endAt(long at) {
        end = at;
    }

    /** Moves the end to a later time; an earlier one changes nothing. */
    void endNotBefore(long at) {
        end = at - end > 0 ? at : end;
    }

    boolean isEnded(long now) {
        return now - end >= 0;
    }

    /** Arms the timer, unless it fires early enough already. */
    void arm() {
        long due = dueBefore.applyAsLong(end);
        TimeSource.Timer armed = timer;
        if (armed != null) {
            if (at - due <= 0) {
                return;
            }
            armed.cancel();
        }
        at = due;
        timer = time.schedule(Duration.ofNanos(due - time.nanos()), () -> serial.execute(this::fire));
    }

    private void fire() {
        timer = null;
        task.run();
    }

    void cancel() {
        TimeSource.Timer armed = timer;
        if (armed != null) {
            armed.cancel();
        }
    }

    /**
     * Returns a duration in nanoseconds, or at most a number that is far beyond every session, and small enough for
     * differences of nanoseconds not to overflow.
     */
    static long nanos(Duration duration) {
        Duration most = Duration.ofDays(36_500);
        return duration.compareTo(most) > 0 ? most.toNanos() : duration.toNanos();
    }
}

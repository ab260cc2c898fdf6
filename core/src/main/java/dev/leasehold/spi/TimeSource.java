package dev.leasehold.spi;

import java.time.Duration;

/**
 * A time source is the time that a client lives by: two clocks and a scheduler. The engine and the stores take time from
 * nowhere else, so that tests can run on virtual time. Thread-safe.
 */
public interface TimeSource {

    /**
     * Reads both clocks at one moment.
     *
     * @return the reading
     */
    ClockReading now();

    /**
     * Reads the monotonic clock alone.
     *
     * @return nanoseconds from an arbitrary origin
     */
    default long nanos() {
        return now().nanos();
    }

    /**
     * Runs a task once, later. The task must not block: all tasks of a client may share one thread.
     *
     * @param delay how long from now, on the monotonic clock; zero or negative means as soon as possible, but never
     *     inside this call
     * @param task what to run
     * @return a handle to call it off
     */
    Timer schedule(Duration delay, Runnable task);

    /** A timer is a scheduled task. */
    @FunctionalInterface
    interface Timer {
        /** Calls the task off, if it has not begun. Repeating this, or doing it too late, does nothing. */
        void cancel();
    }
}

package dev.leasehold.spi;

/**
 * A clock reading is a reading of both clocks of this machine at one moment.
 *
 * @param nanos the monotonic clock, as {@link System#nanoTime()}: compare only by difference
 * @param wallMicros the wall clock in microseconds since 1970; it decides nothing, but where the two clocks have moved
 *     differently since an earlier reading, the machine slept or a clock was set
 */
public record ClockReading(long nanos, long wallMicros) {

    /**
     * Returns how differently the two clocks have moved.
     *
     * @param earlier an earlier reading
     * @return nanoseconds, never negative
     */
    public long divergenceSince(ClockReading earlier) {
        long monotonic = nanos - earlier.nanos;
        long wall = saturatedNanos(wallMicros - earlier.wallMicros);
        long apart = wall - monotonic;
        if (((wall ^ monotonic) & (wall ^ apart)) < 0) {
            return Long.MAX_VALUE;
        }
        return apart == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(apart);
    }

    /**
     * Returns how much time has passed by the clock that has moved further.
     *
     * @param earlier an earlier reading
     * @return nanoseconds; negative only if both clocks have moved back
     */
    public long nanosSince(ClockReading earlier) {
        return Math.max(nanos - earlier.nanos, saturatedNanos(wallMicros - earlier.wallMicros));
    }

    private static long saturatedNanos(long micros) {
        if (micros > Long.MAX_VALUE / 1000) {
            return Long.MAX_VALUE;
        }
        return micros < Long.MIN_VALUE / 1000 ? Long.MIN_VALUE : micros * 1000;
    }
}

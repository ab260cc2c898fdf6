package dev.leasehold.engine.queue;

/** Due times are those at which something is due, in nanoseconds of the monotonic clock. */
public final class DueTimes {

    /** This is the due time of anything that waits for nothing. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final long LEAST_WIDTH_NANOS = 1 << 22;

    private DueTimes() {}

    static long earlier(long one, long other) {
        return one == NEVER || (other != NEVER && other - one < 0) ? other : one;
    }

    /**
     * Returns a time at which others are due, too, at most a 128th part of the delay before the given one, and that time
     * itself where the delay is below half a second. It is a multiple of a power of two, as such times of all delays are.
     */
    static long together(long due, long delay) {
        long width = Long.highestOneBit(delay >> 7);
        return width < LEAST_WIDTH_NANOS ? due : due & -width;
    }
}

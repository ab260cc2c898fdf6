package dev.leasehold.engine.queue;

/** Due times are those at which something is due, in nanoseconds of the monotonic clock. */
public final class DueTimes {

    /** This is the due time of anything that waits for nothing. */
    public static final long NEVER = Long.MAX_VALUE;

    private DueTimes() {}

    static long earlier(long one, long other) {
        return one == NEVER || (other != NEVER && other - one < 0) ? other : one;
    }
}

package dev.leasehold.cli;

import java.time.Duration;

/**
 * End times are those at which a command must be ended for its lease's sake: SIGTERM {@code grace} before the deadline, at
 * most a sixth of the validity, since the last renewals may still come until then; SIGKILL a bit before the deadline,
 * because it takes a moment until the guard has run and the kernel has done it. All on the {@link BootClock}.
 *
 * <p>The validity is what is left of the lease when its deadline is first seen. It may be much shorter than the lease that
 * was asked for: on ZooKeeper it is two thirds of the session time-out.
 *
 * @param deadline when the lease ends
 * @param termAt when SIGTERM is sent
 * @param killAt when SIGKILL is sent
 */
record EndTimes(long deadline, long termAt, long killAt) {

    private static final Duration LONGEST_MARGIN = Duration.ofMillis(500);

    /** Readings of two clocks differ by a bit even if nothing was renewed. */
    private static final long JITTER = 2;

    static Duration grace(Duration wanted, Duration validity) {
        Duration most = validity.dividedBy(6);
        return wanted.compareTo(most) > 0 ? most : wanted;
    }

    static Duration margin(Duration validity) {
        Duration share = validity.dividedBy(12);
        return share.compareTo(LONGEST_MARGIN) > 0 ? LONGEST_MARGIN : share;
    }

    /**
     * Returns the end times of a lease. {@code now} must have been read before {@code remaining}, so that a pause
     * between them errs to the safe side.
     */
    static EndTimes of(long now, Duration remaining, Duration wantedGrace, Duration lease) {
        long deadline = now + hundredths(remaining);
        Duration validity = remaining.compareTo(lease) < 0 ? remaining : lease;
        long margin = hundredths(margin(validity)) + 1;
        long grace = Math.max(hundredths(grace(wantedGrace, validity)), margin);
        return new EndTimes(deadline, deadline - grace, deadline - margin);
    }

    /** Returns these end times, unless the lease has been renewed since: then those of now. */
    EndTimes orLater(long now, Duration remaining, Duration wantedGrace, Duration lease) {
        boolean renewed = now + hundredths(remaining) > deadline + JITTER;
        return renewed ? of(now, remaining, wantedGrace, lease) : this;
    }

    /** Returns when SIGKILL is due by the time that is left, also if that has become less than these times say. */
    long killAt(long now, Duration remaining) {
        return Math.min(killAt, now + hundredths(remaining) - (deadline - killAt));
    }

    static long hundredths(Duration duration) {
        return duration.toMillis() / 10;
    }
}

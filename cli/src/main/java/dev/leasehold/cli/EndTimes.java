package dev.leasehold.cli;

import java.time.Duration;

/**
 * When a command must be ended for its lease's sake: SIGTERM {@code grace} before the deadline, at most a sixth of the
 * lease, since the last renewals may still come until then; SIGKILL a bit before the deadline, because it takes a moment
 * until the guard has run and the kernel has done it. All on the {@link BootClock}.
 *
 * @param termAt when SIGTERM is sent
 * @param killAt when SIGKILL is sent
 */
record EndTimes(long termAt, long killAt) {

    private static final Duration LONGEST_MARGIN = Duration.ofMillis(500);

    static Duration grace(Duration wanted, Duration lease) {
        Duration most = lease.dividedBy(6);
        return wanted.compareTo(most) > 0 ? most : wanted;
    }

    static Duration margin(Duration lease) {
        Duration share = lease.dividedBy(12);
        return share.compareTo(LONGEST_MARGIN) > 0 ? LONGEST_MARGIN : share;
    }

    /** {@code now} must have been read before {@code remaining}, so that a pause between them errs to the safe side. */
    static EndTimes of(long now, Duration remaining, Duration wantedGrace, Duration lease) {
        long deadline = now + hundredths(remaining);
        long margin = hundredths(margin(lease)) + 1;
        long grace = Math.max(hundredths(grace(wantedGrace, lease)), margin);
        return new EndTimes(deadline - grace, deadline - margin);
    }

    static long hundredths(Duration duration) {
        return duration.toMillis() / 10;
    }
}

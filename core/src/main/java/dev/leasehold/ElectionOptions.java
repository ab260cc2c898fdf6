package dev.leasehold;

import java.time.Duration;
import java.util.Objects;

/**
 * How an office is held. Immutable and thread-safe.
 *
 * <p>A leader's lease is renewed for as long as it leads; there is no longest term.
 *
 * @param leaseDuration for how long the lease is granted or renewed at a time: how long a leader that crashes leaves the
 *     office empty. 100 ms to 36,500 days. What the store at hand grants at most may be less
 * @param margin how long before its lease runs out a leader that cannot renew it is demoted: the time that its work has to
 *     end before anybody else can be elected. Zero to a third of {@code leaseDuration}. Where the store has granted less than
 *     was asked for (a hand-over that is not confirmed yet), a third of that at most
 */
public record ElectionOptions(Duration leaseDuration, Duration margin) {

    private static final int MOST_MARGIN = 3;
    private static final int USUAL_MARGIN = 10;

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if a duration is out of its range; the message says which and what is allowed
     */
    public ElectionOptions {
        Objects.requireNonNull(margin, "margin");
        leaseDuration = LockOptions.defaults().withLeaseDuration(leaseDuration).leaseDuration();
        if (margin.isNegative() || margin.compareTo(leaseDuration.dividedBy(MOST_MARGIN)) > 0) {
            throw new IllegalArgumentException(
                    "margin must be zero to a third of the leaseDuration of " + leaseDuration + ", but was " + margin);
        }
    }

    /**
     * Options with the usual margin, a tenth of the lease.
     *
     * @param leaseDuration 100 ms to 36,500 days
     * @return the options
     * @throws IllegalArgumentException if it is out of that range
     */
    public static ElectionOptions ofLease(Duration leaseDuration) {
        return new ElectionOptions(leaseDuration, leaseDuration.dividedBy(USUAL_MARGIN));
    }

    /**
     * Changes the margin.
     *
     * @param duration zero to a third of {@link #leaseDuration()}
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public ElectionOptions withMargin(Duration duration) {
        return new ElectionOptions(leaseDuration, duration);
    }
}

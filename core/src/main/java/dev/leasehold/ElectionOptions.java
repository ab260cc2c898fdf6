package dev.leasehold;

import dev.leasehold.internal.DurationText;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Election options say how an office is held. Immutable and thread-safe; start from {@link #ofLease}. */
public final class ElectionOptions {

    private static final int MOST_MARGIN = 3;
    private static final int USUAL_MARGIN = 10;

    private final Duration leaseDuration;
    private final Duration margin;

    private ElectionOptions(Duration leaseDuration, Duration margin) {
        Objects.requireNonNull(margin, "margin");
        this.leaseDuration =
                LockOptions.defaults().withLeaseDuration(leaseDuration).leaseDuration();
        this.margin = margin;
        if (margin.isNegative() || margin.compareTo(leaseDuration.dividedBy(MOST_MARGIN)) > 0) {
            throw new IllegalArgumentException("margin must be zero to a third of the leaseDuration of "
                    + DurationText.of(leaseDuration) + ", but was " + DurationText.of(margin));
        }
    }

    /**
     * Makes options with the usual margin, a tenth of the lease.
     *
     * @param leaseDuration 100 ms to 36,500 days
     * @return the options
     * @throws IllegalArgumentException if it is out of that range
     */
    public static ElectionOptions ofLease(Duration leaseDuration) {
        return new ElectionOptions(leaseDuration, leaseDuration.dividedBy(USUAL_MARGIN));
    }

    /**
     * Returns the time for which the lease is granted or renewed at a time: how long a leader that crashes leaves the
     * office empty.
     *
     * @return 100 ms to 36,500 days. The store's own limit may be lower
     */
    public Duration leaseDuration() {
        return leaseDuration;
    }

    /**
     * Returns how long before its lease runs out a leader that cannot renew it is demoted: the time that its work has to
     * end before anybody else can be elected. Where the store has granted less than was asked for (a hand-over that is not
     * confirmed yet), the margin is a third of that at most.
     *
     * @return zero to a third of {@link #leaseDuration()}
     */
    public Duration margin() {
        return margin;
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

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ElectionOptions options
                && leaseDuration.equals(options.leaseDuration)
                && margin.equals(options.margin);
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseDuration, margin);
    }

    @Override
    public String toString() {
        return "ElectionOptions[leaseDuration=" + leaseDuration + ", margin=" + margin + "]";
    }
}

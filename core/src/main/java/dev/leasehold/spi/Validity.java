package dev.leasehold.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * A validity says until when a positive answer of a store may be relied on, by this machine's monotonic clock.
 *
 * <p>There is one formula, {@link #of}. It counts from before the first byte of the very request that was answered: if the
 * answer waited in a buffer for a minute, that minute is gone from the lease. It uses the time left that the store has
 * reported, never the time that was asked for. The hundredth covers clocks that run at different rates, the two
 * milliseconds the resolution of the store's expiry.
 *
 * @param sentAt both clocks, read before the request was sent
 * @param deadline when the lease ends for its holder, on the clock of {@link ClockReading#nanos()}
 */
public record Validity(ClockReading sentAt, long deadline) {

    private static final long MARGIN_NANOS = 2_000_000;

    /** Checks the parts. */
    public Validity {
        Objects.requireNonNull(sentAt, "sentAt");
    }

    /**
     * Makes a validity by the one formula, {@code sentAt + timeLeft × 0.99 − 2 ms}.
     *
     * @param sentAt both clocks, read before the first byte of the request that was answered
     * @param timeLeft what the store said is left of the lease; zero or negative is allowed and gives a validity that is
     *     over
     * @return the validity
     */
    public static Validity of(ClockReading sentAt, Duration timeLeft) {
        long left = saturatedNanos(timeLeft);
        long usable = left - left / 100 - MARGIN_NANOS;
        return new Validity(sentAt, sentAt.nanos() + usable);
    }

    /**
     * Returns the time left.
     *
     * @param nanos the monotonic clock now
     * @return nanoseconds, zero or negative once the deadline has been reached
     */
    public long nanosLeft(long nanos) {
        return deadline - nanos;
    }

    /**
     * Returns the time left by the clock that has moved further since the request was sent. A machine that sleeps stops the
     * monotonic clock, not the wall clock, and not the store's: so a lease holds only while both clocks say so.
     *
     * @param now both clocks now
     * @return nanoseconds, zero or negative once one of the clocks has used the validity up
     */
    public long nanosLeft(ClockReading now) {
        return length() - now.nanosSince(sentAt);
    }

    /**
     * Returns whether both clocks say that the lease holds: neither has used it up, and they {@linkplain #agrees agree}.
     *
     * @param now both clocks now
     * @return true if it may be relied on
     */
    public boolean isConfirmedBy(ClockReading now) {
        return nanosLeft(now) > 0 && agrees(now);
    }

    /**
     * Returns whether the clocks have moved alike since the request was sent: they are not more than a tenth of the
     * validity apart, as they would be after a long sleep or when one was set.
     *
     * @param now both clocks now
     * @return false if the clocks cannot be relied on
     */
    public boolean agrees(ClockReading now) {
        return now.divergenceSince(sentAt) <= length() / 10;
    }

    /** {@return how long it lasts from the request on, in nanoseconds; zero or negative if it was over from the start} */
    public long length() {
        return deadline - sentAt.nanos();
    }

    /**
     * Returns whether the deadline has been reached.
     *
     * @param nanos the monotonic clock now
     * @return true from the deadline on
     */
    public boolean isOver(long nanos) {
        return nanosLeft(nanos) <= 0;
    }

    // The bound is half of the range of a long, so that differences of two clock readings cannot overflow.
    private static long saturatedNanos(Duration duration) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE / 2);
        if (duration.compareTo(most) > 0) {
            return most.toNanos();
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }
}

package dev.leasehold;

import dev.leasehold.internal.DurationText;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lock options say how a lock is held. Immutable and thread-safe; each {@code with…} method returns a changed copy. Start
 * from {@link #defaults()}.
 */
public final class LockOptions {

    /** This is the shortest lease that is accepted. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** This, 36,500 days, is the longest duration that is accepted anywhere. As {@code maxHold} it means unlimited. */
    public static final Duration FOREVER = Duration.ofDays(36_500);

    private static final LockOptions DEFAULTS =
            new LockOptions(Duration.ofSeconds(30), true, Duration.ofHours(24), Duration.ZERO, false);

    private final Duration leaseDuration;
    private final boolean autoRenew;
    private final Duration maxHold;
    private final Duration minHold;
    private final boolean interruptOnLoss;

    private LockOptions(
            Duration leaseDuration, boolean autoRenew, Duration maxHold, Duration minHold, boolean interruptOnLoss) {
        within("leaseDuration", leaseDuration, SHORTEST_LEASE);
        within("maxHold", maxHold, SHORTEST_LEASE);
        within("minHold", minHold, Duration.ZERO);
        this.leaseDuration = leaseDuration;
        this.autoRenew = autoRenew;
        this.maxHold = maxHold;
        this.minHold = minHold;
        this.interruptOnLoss = interruptOnLoss;
    }

    /** {@return the defaults: 30 s leases, renewed for at most 24 hours} */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the time for which a lease is granted or renewed at a time: how long a crashed holder blocks the others.
     *
     * @return 100 ms to 36,500 days; 30 s by default. The store's own limit may be lower
     */
    public Duration leaseDuration() {
        return leaseDuration;
    }

    /**
     * Returns whether the lease is renewed for as long as it is held. Without it a hold ends with its lease.
     *
     * @return true by default
     */
    public boolean autoRenew() {
        return autoRenew;
    }

    /**
     * Returns the time for which one hold is renewed at most, counted from its start. A hold that reaches it is lost when
     * its last lease runs out; leases are shortened so that this is no later.
     *
     * @return 100 ms to 36,500 days; 24 hours by default
     */
    public Duration maxHold() {
        return maxHold;
    }

    /**
     * Returns the time for which the lock stays taken, counted from the start of the hold, even if it is released earlier,
     * and even if its process dies: the store is asked for a lease that lasts for so long, if that is longer than {@link
     * #leaseDuration()}. Where leases end with a session (ZooKeeper, session locks in a database), a process that dies ends
     * it all the same.
     *
     * @return zero to 36,500 days; zero by default
     */
    public Duration minHold() {
        return minHold;
    }

    /**
     * Returns whether the thread that runs a body of {@link DistributedLock#run} or {@link DistributedLock#call} is
     * interrupted when its lease is lost.
     *
     * @return false by default
     */
    public boolean interruptOnLoss() {
        return interruptOnLoss;
    }

    /**
     * Changes the lease duration.
     *
     * @param duration 100 ms to 36,500 days
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withLeaseDuration(Duration duration) {
        return new LockOptions(duration, autoRenew, maxHold, minHold, interruptOnLoss);
    }

    /**
     * Switches renewal on or off.
     *
     * @param on whether leases are renewed
     * @return the changed copy
     */
    public LockOptions withAutoRenew(boolean on) {
        return new LockOptions(leaseDuration, on, maxHold, minHold, interruptOnLoss);
    }

    /**
     * Changes how long one hold is renewed at most.
     *
     * @param duration 100 ms to 36,500 days; {@link #FOREVER} for unlimited
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withMaxHold(Duration duration) {
        return new LockOptions(leaseDuration, autoRenew, duration, minHold, interruptOnLoss);
    }

    /**
     * Changes how long the lock stays taken at least.
     *
     * @param duration zero to 36,500 days
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withMinHold(Duration duration) {
        return new LockOptions(leaseDuration, autoRenew, maxHold, duration, interruptOnLoss);
    }

    /**
     * Switches the interruption of bodies on or off.
     *
     * @param on whether a body is interrupted when its lease is lost
     * @return the changed copy
     */
    public LockOptions withInterruptOnLoss(boolean on) {
        return new LockOptions(leaseDuration, autoRenew, maxHold, minHold, on);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockOptions options
                && leaseDuration.equals(options.leaseDuration)
                && autoRenew == options.autoRenew
                && maxHold.equals(options.maxHold)
                && minHold.equals(options.minHold)
                && interruptOnLoss == options.interruptOnLoss;
    }

    @Override
    public int hashCode() {
        return Objects.hash(leaseDuration, autoRenew, maxHold, minHold, interruptOnLoss);
    }

    @Override
    public String toString() {
        return "LockOptions[leaseDuration=" + leaseDuration + ", autoRenew=" + autoRenew + ", maxHold=" + maxHold
                + ", minHold=" + minHold + ", interruptOnLoss=" + interruptOnLoss + "]";
    }

    private static void within(String what, Duration duration, Duration least) {
        Objects.requireNonNull(duration, what);
        if (duration.compareTo(least) < 0 || duration.compareTo(FOREVER) > 0) {
            throw new IllegalArgumentException(what + " must be " + DurationText.of(least) + " to 36,500 days, but was "
                    + DurationText.of(duration));
        }
    }
}

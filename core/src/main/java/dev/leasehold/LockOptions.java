package dev.leasehold;

import java.time.Duration;
import java.util.Objects;

/**
 * How a lock is held. Immutable and thread-safe; each {@code with…} method returns a changed copy.
 *
 * @param leaseDuration for how long a lease is granted or renewed at a time: how long a crashed holder blocks the others.
 *     100 ms to 36,500 days; 30 s by default. What the store at hand grants at most may be less
 * @param autoRenew whether the lease is renewed for as long as it is held; true by default. Without it a hold ends with
 *     its lease
 * @param maxHold for how long one hold is renewed at most, counted from its start; 24 hours by default. A hold that
 *     reaches it is lost when its last lease runs out; leases are shortened so that this is no later
 * @param atLeast how long the lock stays taken, counted from the start of the hold, even if it is released earlier; zero
 *     by default
 * @param interruptOnLoss whether the thread that runs a body of {@link DistributedLock#run} or {@link
 *     DistributedLock#call} is interrupted when its lease is lost; false by default
 */
public record LockOptions(
        Duration leaseDuration, boolean autoRenew, Duration maxHold, Duration atLeast, boolean interruptOnLoss) {

    /** The shortest lease that is accepted. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** The longest duration that is accepted anywhere: 36,500 days. As {@code maxHold} it means unlimited. */
    public static final Duration FOREVER = Duration.ofDays(36_500);

    private static final LockOptions DEFAULTS =
            new LockOptions(Duration.ofSeconds(30), true, Duration.ofHours(24), Duration.ZERO, false);

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if a duration is out of its range; the message says which and what is allowed
     */
    public LockOptions {
        within("leaseDuration", leaseDuration, SHORTEST_LEASE);
        within("maxHold", maxHold, SHORTEST_LEASE);
        within("atLeast", atLeast, Duration.ZERO);
    }

    /**
     * The defaults.
     *
     * @return 30 s leases, renewed for at most 24 hours
     */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Changes the lease duration.
     *
     * @param duration 100 ms to 36,500 days
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withLeaseDuration(Duration duration) {
        return new LockOptions(duration, autoRenew, maxHold, atLeast, interruptOnLoss);
    }

    /**
     * Switches renewal on or off.
     *
     * @param on whether leases are renewed
     * @return the changed copy
     */
    public LockOptions withAutoRenew(boolean on) {
        return new LockOptions(leaseDuration, on, maxHold, atLeast, interruptOnLoss);
    }

    /**
     * Changes how long one hold is renewed at most.
     *
     * @param duration 100 ms to 36,500 days; {@link #FOREVER} for unlimited
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withMaxHold(Duration duration) {
        return new LockOptions(leaseDuration, autoRenew, duration, atLeast, interruptOnLoss);
    }

    /**
     * Changes how long the lock stays taken at least.
     *
     * @param duration zero to 36,500 days
     * @return the changed copy
     * @throws IllegalArgumentException if it is out of that range
     */
    public LockOptions withAtLeast(Duration duration) {
        return new LockOptions(leaseDuration, autoRenew, maxHold, duration, interruptOnLoss);
    }

    /**
     * Switches the interruption of bodies on or off.
     *
     * @param on whether a body is interrupted when its lease is lost
     * @return the changed copy
     */
    public LockOptions withInterruptOnLoss(boolean on) {
        return new LockOptions(leaseDuration, autoRenew, maxHold, atLeast, on);
    }

    private static void within(String what, Duration duration, Duration least) {
        Objects.requireNonNull(duration, what);
        if (duration.compareTo(least) < 0 || duration.compareTo(FOREVER) > 0) {
            throw new IllegalArgumentException(
                    what + " must be " + words(least) + " to 36,500 days, but was " + duration);
        }
    }

    private static String words(Duration least) {
        return least.isZero() ? "zero" : least.toMillis() + " ms";
    }
}

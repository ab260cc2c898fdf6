package dev.leasehold.observe;

import dev.leasehold.Lease;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * A lock grant is what a call for a lock has got, as {@link LeaseholdObserver observers} see it.
 *
 * @param token the fencing token
 * @param slot the slot of a permit ({@link Lease#slot()}); empty for all others, and where the store does not know it
 * @param waited the time from asking to having the lock
 * @param handedOver whether another caller of this process had the lock until then and it was handed over without asking the
 *     store
 */
public record LockGrant(long token, OptionalInt slot, Duration waited, boolean handedOver) {

    /** Checks the parts. */
    public LockGrant {
        Objects.requireNonNull(slot, "slot");
        Objects.requireNonNull(waited, "waited");
    }
}

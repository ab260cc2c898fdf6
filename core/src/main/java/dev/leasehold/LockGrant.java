package dev.leasehold;

import java.time.Duration;
import java.util.Objects;

/**
 * A lock grant is what a call for a lock has got, as {@link LeaseholdObserver observers} see it.
 *
 * @param token the fencing token
 * @param waited the time from asking to having the lock
 * @param handedOver whether another caller of this process had the lock until then and it was handed over without asking the
 *     store
 */
public record LockGrant(long token, Duration waited, boolean handedOver) {

    /** Checks the parts. */
    public LockGrant {
        Objects.requireNonNull(waited, "waited");
    }
}

package dev.leasehold.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * The request for a lock. Sent again with the same id, it asks again: a claim that was granted meanwhile is answered
 * with its grant, one that stands in the queue stays in its place and is known to be alive.
 *
 * @param id names the claim
 * @param lock the lock's name
 * @param lease how long the lease should last; never shortens one that the claim already has
 * @param spare how many tokens beyond the first the grant should reserve for hand-overs inside the claiming process, 0
 *     to 64
 * @param enqueue whether to join the queue of the lock if it is taken
 */
public record Claim(ClaimId id, String lock, Duration lease, int spare, boolean enqueue) {

    /** The longest run of spare tokens. Longer runs would let tokens creep ahead of the clock. */
    public static final int MOST_SPARE = 64;

    /** Checks the parts. */
    public Claim {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(lock, "lock");
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("lease must be positive, but was " + lease);
        }
        if (spare < 0 || spare > MOST_SPARE) {
            throw new IllegalArgumentException("spare must be 0 to " + MOST_SPARE + ", but was " + spare);
        }
    }
}

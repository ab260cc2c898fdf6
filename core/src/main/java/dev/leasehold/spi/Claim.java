package dev.leasehold.spi;

import dev.leasehold.internal.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * A claim is the request for a lock. Sent again with the same id, it asks again: a claim that was granted meanwhile is
 * answered with its grant, one that stands in the queue stays in its place and is known to be alive.
 *
 * @param id names the claim
 * @param lock the lock's name
 * @param lease how long the lease should last; never shortens one that the claim already has
 * @param spare how many tokens beyond the first the grant should reserve for hand-overs inside the claiming process, 0 to
 *     64
 * @param enqueue whether to join the queue of the lock if it is taken
 * @param place the claim's place in the queue by the store's last answer; {@link #UNKNOWN} if that is not known; {@link
 *     #NEW} if no claim with this id has been sent before. It only saves a search: a store may use it or not. A store that
 *     does must cope with a new claim that stands in its queue already, since what was sent once may arrive twice, or late
 */
public record Claim(ClaimId id, String lock, Duration lease, int spare, boolean enqueue, int place) {

    /** The claim may stand in the queue, but its place is not known. */
    public static final int UNKNOWN = 0;

    /** The claim has never been sent. */
    public static final int NEW = -1;

    /** The longest run of spare tokens. Longer runs would let tokens creep ahead of the clock. */
    public static final int MOST_SPARE = 64;

    /** Checks the parts. */
    public Claim {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(lock, "lock");
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("lease must be positive, but was " + DurationText.of(lease));
        }
        if (place < NEW) {
            throw new IllegalArgumentException("place must be at least " + NEW + ", but was " + place);
        }
        if (spare < 0 || spare > MOST_SPARE) {
            throw new IllegalArgumentException("spare must be 0 to " + MOST_SPARE + ", but was " + spare);
        }
    }

    /** Makes a claim whose place in the queue, if any, is not known. */
    public Claim(ClaimId id, String lock, Duration lease, int spare, boolean enqueue) {
        this(id, lock, lease, spare, enqueue, UNKNOWN);
    }

    /**
     * Returns the same claim, to be sent again.
     *
     * @param known its place as far as it is known
     */
    public Claim at(int known) {
        return known == place ? this : new Claim(id, lock, lease, spare, enqueue, known);
    }
}

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
 * @param share with how many holders at most, itself included, the claim coexists: {@link #EXCLUSIVE} for a mutex or a
 *     writer, 2 to {@link #MOST_PERMITS} for a permit of a semaphore, {@link #UNLIMITED} for a reader. The share of the
 *     claim's first arrival counts; a repetition with another one does not change it
 * @param lease how long the lease should last; never shortens one that the claim already has
 * @param spare how many tokens beyond the first the grant should reserve for hand-overs inside the claiming process, 0 to
 *     64, and 0 for shares above 1
 * @param enqueue whether to join the queue of the lock if it is taken
 * @param place the claim's place in the queue by the store's last answer; {@link #UNKNOWN} if that is not known; {@link
 *     #NEW} if no claim with this id has been sent before. It only saves a search: a store may use it or not. A store that
 *     does must cope with a new claim that stands in its queue already, since what was sent once may arrive twice, or late
 */
public record Claim(ClaimId id, String lock, int share, Duration lease, int spare, boolean enqueue, int place) {

    /** A mutex and a writer have this share: the claim has the lock to itself. */
    public static final int EXCLUSIVE = 1;

    /** This is the greatest finite share: the most permits that a semaphore can have. */
    public static final int MOST_PERMITS = 1024;

    /** A reader has this share, which sets no limit of its own. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The claim may stand in the queue, but its place is not known. */
    public static final int UNKNOWN = 0;

    /** The claim has never been sent. */
    public static final int NEW = -1;

    /** A run has at most this many spare tokens. Longer runs would let tokens creep ahead of the clock. */
    public static final int MOST_SPARE = 64;

    /** Checks the parts. */
    public Claim {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(lock, "lock");
        checkShare(share);
        if (lease.isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("lease must be positive, but was " + DurationText.of(lease));
        }
        if (place < NEW) {
            throw new IllegalArgumentException("place must be at least " + NEW + ", but was " + place);
        }
        if (spare < 0 || spare > MOST_SPARE) {
            throw new IllegalArgumentException("spare must be 0 to " + MOST_SPARE + ", but was " + spare);
        }
        if (share != EXCLUSIVE && spare != 0) {
            throw new IllegalArgumentException("a shared claim has no run of tokens: spare must be 0, but was " + spare
                    + " with the share " + share);
        }
    }

    /** Makes an exclusive claim whose place in the queue, if any, is not known. */
    public Claim(ClaimId id, String lock, Duration lease, int spare, boolean enqueue) {
        this(id, lock, EXCLUSIVE, lease, spare, enqueue, UNKNOWN);
    }

    /** Makes a claim with a share, without spare tokens, whose place in the queue, if any, is not known. */
    public Claim(ClaimId id, String lock, int share, Duration lease, boolean enqueue) {
        this(id, lock, share, lease, 0, enqueue, UNKNOWN);
    }

    /**
     * Checks that a number is a share.
     *
     * @return the number
     * @throws IllegalArgumentException if it is not
     */
    public static int checkShare(int share) {
        if (share < EXCLUSIVE || (share > MOST_PERMITS && share != UNLIMITED)) {
            throw new IllegalArgumentException(
                    "share must be 1 to " + MOST_PERMITS + ", or unlimited, but was " + share);
        }
        return share;
    }

    /** Returns whether holders with a share have slots: whether it is that of a semaphore. */
    public static boolean hasSlots(int share) {
        return share != EXCLUSIVE && share != UNLIMITED;
    }

    /** Returns whether others may hold the lock beside the claim. */
    public boolean isShared() {
        return share != EXCLUSIVE;
    }

    /**
     * Returns the same claim, to be sent again.
     *
     * @param known its place as far as it is known
     */
    public Claim at(int known) {
        return known == place ? this : new Claim(id, lock, share, lease, spare, enqueue, known);
    }
}

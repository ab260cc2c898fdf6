package dev.leasehold.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lease id names one lease by claim and token together. A store compares both in every operation, so that a message about
 * an earlier lease never touches a later one.
 *
 * @param lock the lock's name
 * @param claim the claim that was granted
 * @param token the fencing token that came with the grant: the first of its run
 */
public record LeaseId(String lock, ClaimId claim, long token) {

    /** Checks the parts. */
    public LeaseId {
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(claim, "claim");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeaseId that
                && token == that.token
                && claim.equals(that.claim)
                && lock.equals(that.lock);
    }

    @Override
    public int hashCode() {
        return 31 * claim.hashCode() + lock.hashCode();
    }
}

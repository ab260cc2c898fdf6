package dev.leasehold.redis;

import dev.leasehold.Lease;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of the leases of one lock that have been seen, and what the next must be above: all leases that it excludes or that
 * exclude it, and the readers that were over when its claim was asked for. (Not its caller: that takes what comes first.)
 */
final class LeaseTokens {

    private final Set<Long> all = new HashSet<>();
    private final Map<ClaimId, Long> endedBefore = new HashMap<>();
    private final Map<Long, ClaimId> claims = new HashMap<>();
    private long greatest;
    private long greatestExclusive;
    private long greatestEnded;

    void asked(Claim claim) {
        endedBefore.putIfAbsent(claim.id(), greatestEnded);
    }

    void granted(LeaseId lease) {
        claims.put(lease.token(), lease.claim());
    }

    /** A lease is over for its holder. */
    void ended(Lease lease) {
        if (!lease.isExclusive()) {
            greatestEnded = Math.max(greatestEnded, lease.token());
        }
    }

    /** Returns what is wrong with a lease's token, if anything. */
    @Nullable String held(Lease lease) {
        long token = lease.token();
        ClaimId claim = claims.get(token);
        long ended = claim == null ? 0 : endedBefore.getOrDefault(claim, 0L);
        long least = Math.max(ended, lease.isExclusive() ? greatest : greatestExclusive);
        boolean fresh = all.add(token);
        greatest = Math.max(greatest, token);
        greatestExclusive = lease.isExclusive() ? Math.max(greatestExclusive, token) : greatestExclusive;
        if (token <= least) {
            return "token " + token + " after " + least;
        }
        return fresh ? null : "token " + token + " twice";
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;
import java.util.List;

/**
 * The claim plan of a local queue says how many claims have to be before the store, and for whom. An exclusive lock has one
 * while somebody waits and this process has no lease, or only such as were made readers'.
 */
final class ClaimPlan {

    /** At most this many claims of one process may wait for a shared lock. */
    private static final int MOST_CLAIMS = 64;

    private ClaimPlan() {}

    /**
     * Has as many claims before the store as there are callers without a lease, and no more than can be granted together. Of
     * those that are not needed any more the youngest leave first.
     */
    static void seek(QueueState queue, EventHandling at) {
        List<PendingClaim> claims = queue.claims;
        int wanted = claimsWanted(queue);
        for (int i = claims.size() - 1; i >= 0; i--) {
            if (claims.get(i).isForgotten(at.now()) && Claimant.withdraw(queue, claims.get(i), at)) {
                claims.remove(i);
            }
        }
        while (claims.size() > wanted && Claimant.withdraw(queue, claims.get(claims.size() - 1), at)) {
            claims.remove(claims.size() - 1);
        }
        while (claims.size() < wanted && !isBlocked(queue)) {
            Caller caller = queue.waiting.at(claims.size() + queue.leases.free().size());
            boolean exclusive = queue.share == Claim.EXCLUSIVE;
            int spare = exclusive && queue.waiting.size() > 1 ? queue.settings.localHandOvers() : 0;
            boolean enqueue = queue.claims(PendingClaim::isQueued) < queue.waiting.staying();
            claims.add(Claimant.begin(queue, caller.firstLease(), spare, enqueue, at));
        }
        for (int i = 0; i < claims.size(); i++) {
            Claimant.send(queue, claims.get(i), at);
        }
    }

    private static int claimsWanted(QueueState queue) {
        if (queue.share == Claim.EXCLUSIVE) {
            return queue.waiting.isEmpty() || queue.leases.isAnyExclusive() ? 0 : 1;
        }
        return Math.min(
                Math.min(queue.share, MOST_CLAIMS),
                Math.max(0, queue.waiting.size() - queue.leases.free().size()));
    }

    /**
     * Returns whether a new claim has to wait for the answer to a release, because until then this process itself has all
     * that the lock can give.
     */
    static boolean isBlocked(QueueState queue) {
        int blocking = queue.cleanups.blocking();
        return blocking > 0 && queue.leases.size() + blocking >= queue.share;
    }
}

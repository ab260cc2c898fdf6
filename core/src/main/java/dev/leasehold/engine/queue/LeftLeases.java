package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The left leases of a client are those that it has left in the store, since work may go on under them. Until they are over
 * there, late answers to their claims change nothing. All queues of a client share them: the queue that has left one is idle,
 * and the answer makes another. Thread-safe.
 */
public final class LeftLeases {

    private record Left(LeaseId lease, long until) {}

    private final ConcurrentMap<ClaimId, Left> all = new ConcurrentHashMap<>();

    /** Adds a lease until it is certainly over in the store, on the monotonic clock. */
    void add(LeaseId lease, long until) {
        all.put(lease.claim(), new Left(lease, until));
    }

    /** Forgets those that are over in the store; returns whether any is left. */
    public boolean areAny(long now) {
        all.values().removeIf(left -> left.until() - now <= 0);
        return !all.isEmpty();
    }

    boolean has(LeaseId lease, long now) {
        Left left = all.get(lease.claim());
        return left != null && left.lease().equals(lease) && left.until() - now > 0;
    }

    boolean has(ClaimId claim, long now) {
        Left left = all.get(claim);
        return left != null && left.until() - now > 0;
    }
}

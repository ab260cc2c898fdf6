package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The left leases of a client are those that it has left in the store, since work may go on under them. Until they are over
 * there, late answers to their claims change nothing. All queues of a client share them: the queue that has left one is idle,
 * and the answer makes another. Thread-safe.
 */
public final class LeftLeases {

    private record Left(LeaseId lease, long until) {}

    private static final int FEW = 64;

    private final ConcurrentMap<ClaimId, Left> all = new ConcurrentHashMap<>();
    private final AtomicInteger many = new AtomicInteger(FEW);

    /** Adds a lease until it is certainly over in the store, on the monotonic clock. */
    void add(LeaseId lease, long until, long now) {
        all.put(lease.claim(), new Left(lease, until));
        // Seldom, since a client that closes may leave a hundred thousand.
        if (all.size() > many.get()) {
            all.values().removeIf(left -> left.until() - now <= 0);
            many.set(2 * Math.max(FEW, all.size()));
        }
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

package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;

/**
 * Tokens makes fencing tokens: the transaction id of the node's creation, and below it six bits for a run inside one
 * process. The id grows with every write to the ensemble and survives whatever the ensemble's data survives; the
 * sequence number would overflow, and starts anew with the lock's node.
 */
final class Tokens {

    private static final int RUN_BITS = 6;

    /** A run has at most this many spare tokens. */
    static final int MOST_SPARE = (1 << RUN_BITS) - 1;

    private Tokens() {}

    static long of(long czxid, String lock) {
        if (czxid <= 0 || czxid > Long.MAX_VALUE >> RUN_BITS) {
            throw new LockException(
                    "the transaction ids of this ZooKeeper ensemble have reached " + Long.toHexString(czxid)
                            + ", too large to make fencing tokens of; the lock '" + lock
                            + "' was not acquired. Start with an ensemble whose epoch is lower");
        }
        return czxid << RUN_BITS;
    }

    static int spare(Claim claim) {
        return Math.min(claim.spare(), MOST_SPARE);
    }
}

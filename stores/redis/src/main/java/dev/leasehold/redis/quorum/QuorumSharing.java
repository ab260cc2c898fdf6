package dev.leasehold.redis.quorum;

import dev.leasehold.spi.Sharing;

/**
 * Quorum sharing says which shares a quorum grants: readers and writers, and no counting. A majority keeps two apart who
 * exclude each other, since any two majorities have a node in common. It does not count: three nodes with two places each
 * have room for three holders that have two nodes each.
 */
public final class QuorumSharing {

    /** The keys are our own. */
    public static final Sharing READ_WRITE = Sharing.readWrite(
                    "its masters are independent and each counts by itself; with three masters and two permits three "
                            + "holders could each have a majority. An SQL database has semaphores")
            .withoutDowngrade("a master that does not hear of the downgrade would still exclude readers, and one that "
                    + "forgets would let writers in; release the writer and acquire the reader instead");

    /** Clients of another kind, which know nothing of readers, use the same locks. */
    public static final Sharing PLAIN_KEYS = Sharing.exclusiveOnly(
            "its keys are shared with clients of another kind (leasehold.keys=plain), which know nothing of shared holds");

    private QuorumSharing() {}
}

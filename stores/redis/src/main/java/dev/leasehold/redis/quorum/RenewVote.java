package dev.leasehold.redis.quorum;

import dev.leasehold.spi.Validity;

/** A renew vote is a node's answer to a renewal. */
public sealed interface RenewVote {

    /** Returns the node's status at the time of its answer. */
    NodeStatus status();

    /** The lease is still there. */
    record Renewed(Validity validity, NodeStatus status) implements RenewVote {}

    /**
     * The node has no such lease.
     *
     * @param free whether nobody else has the lock there either
     */
    record Gone(boolean free, NodeStatus status) implements RenewVote {}

    /** The node may have forgotten leases that are not over yet, so what it says counts for nothing. */
    record NoVote(NodeStatus status) implements RenewVote {}
}

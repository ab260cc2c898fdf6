package dev.leasehold.redis.quorum;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link QuorumClaim} is at before it has its lease; the attempt that has won is kept as long as that, for the votes
 * that come late. Used by tasks of the claim's serial executor only.
 */
sealed interface ClaimStep permits NodeDiscovery, Attempt, GateQueueing {

    /** Calls off what was to be done later, and heeds nothing any more that comes in. */
    void stop();

    /**
     * Gives back on all nodes whatever it may have got, also on those that seem to have given nothing. Comes after {@link
     * #stop()}.
     *
     * @return completes when each node has been asked once, and has answered or failed to
     */
    CompletableFuture<@Nullable Void> sweep();
}

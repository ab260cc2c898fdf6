package dev.leasehold.redis.quorum;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A claim step is one that a {@link QuorumClaim} takes on the way to its lease. The attempt that has won stays the claim's
 * step as long as the lease lasts, for votes that come late. Used by tasks of the claim's serial executor only.
 */
sealed interface ClaimStep permits NodeDiscovery, Attempt, GateQueueing {

    /** Cancels the step's timers, and ignores all later answers. */
    void stop();

    /**
     * Gives back on all nodes whatever it may have got, also on those that seem to have given nothing. Comes after {@link
     * #stop()}.
     *
     * @return completes when each node has been asked once, and has answered or failed to
     */
    CompletableFuture<@Nullable Void> cleanUp();
}

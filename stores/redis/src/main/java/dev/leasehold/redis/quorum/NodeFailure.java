package dev.leasehold.redis.quorum;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A node failure says why a node of a quorum has given no answer that counts.
 *
 * @param words what has happened, after the name of the node
 * @param refused whether trying again will not change it: the node refuses this client, or what it asks for
 */
record NodeFailure(String words, boolean refused) {

    static NodeFailure of(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Causes.of(failure);
        return new NodeFailure(
                QuorumFailures.words(failure),
                cause instanceof LockException && !(cause instanceof StoreUnavailableException));
    }

    static NodeFailure noAnswer(Duration nodeTimeout) {
        return new NodeFailure(QuorumFailures.noAnswer(nodeTimeout), false);
    }
}

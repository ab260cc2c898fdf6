package dev.leasehold.redis.quorum;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A vote is a node's answer to a {@link Ballot}. No answer at all is not one of these. */
public sealed interface Vote {

    /** Returns the node's status at the time of its answer. */
    NodeStatus status();

    /** The node has given the lock to the attempt, and its last token is at least the end of the ballot's run. */
    record Yes(long token, Validity validity, NodeStatus status) implements Vote {}

    /**
     * The node has seen tokens that the proposal does not exceed.
     *
     * @param last only a greater token can be accepted
     */
    record Stale(long last, NodeStatus status) implements Vote {}

    /**
     * The proposal is so far ahead of the node's clock and of its last token that it would spoil the tokens to come.
     *
     * @param most the greatest that it would accept
     */
    record TooFar(long most, NodeStatus status) implements Vote {}

    /**
     * Another attempt has the lock there, or is before this one in the queue; or the node takes no new readers for a moment.
     *
     * @param holder one of those who have it, if anybody does and the node tells
     * @param timeLeft of the lock, where it has an end
     * @param place in the node's queue, or 0
     */
    record Busy(@Nullable HolderInfo holder, @Nullable Duration timeLeft, int place, NodeStatus status)
            implements Vote {

        /** Returns whether the holder is a client of another kind; only those have no token. */
        boolean isForeign() {
            return holder != null && holder.token() == 0;
        }
    }

    /** The node may have forgotten leases that are not over yet. */
    record NoVote(NodeStatus status) implements Vote {}
}

package dev.leasehold.redis;

import dev.leasehold.LockException;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.redis.quorum.QuorumFailures;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A master's vote is that of one master of a quorum, as that master has reported it. Immutable.
 *
 * @param node the master, without credentials
 * @param noVoteFor for how long it has none; zero if it has one; null if it did not say
 * @param failure why it did not say; null if it did
 */
public record MasterVote(
        String node, @Nullable Duration noVoteFor, @Nullable LockException failure) {

    /** Checks the name. */
    public MasterVote {
        Objects.requireNonNull(node, "node");
    }

    static MasterVote of(String node, Duration noVoteFor) {
        return new MasterVote(node, noVoteFor, null);
    }

    static MasterVote failed(String node, LockException failure) {
        return new MasterVote(node, null, failure);
    }

    /**
     * Returns whether it has a vote.
     *
     * @return false also if that is not known
     */
    public boolean hasVote() {
        return noVoteFor != null && noVoteFor.isZero();
    }

    /**
     * Returns the vote in words.
     *
     * @return the words, with the master's name
     */
    public NodeAnswer answer() {
        if (noVoteFor == null) {
            return new NodeAnswer(node, QuorumFailures.words(failure));
        }
        return new NodeAnswer(
                node, hasVote() ? "has a vote" : "has no vote for another " + QuorumFailures.seconds(noVoteFor));
    }
}

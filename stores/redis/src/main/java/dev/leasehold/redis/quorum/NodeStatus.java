package dev.leasehold.redis.quorum;

import dev.leasehold.spi.ClockReading;
import java.time.Duration;

/**
 * The status of a node comes with each of its answers.
 *
 * @param run the id of the server's run
 * @param sentAt our clocks before the question was sent
 * @param micros the node's clock when it answered
 * @param noVoteFor for how long from then on it has no vote; zero if it has one
 */
public record NodeStatus(String run, ClockReading sentAt, long micros, Duration noVoteFor) {

    /** Returns the latest time that the node's clock can show now, if it has not been set. */
    public long microsAt(long nanos) {
        return micros + (nanos - sentAt.nanos()) / 1000;
    }

    boolean hasVote(long nanos) {
        return nanos - sentAt.nanos() >= noVoteFor.toNanos();
    }

    Duration noVoteLeft(long nanos) {
        Duration left = noVoteFor.minusNanos(nanos - sentAt.nanos());
        return left.isNegative() ? Duration.ZERO : left;
    }
}

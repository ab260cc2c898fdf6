package dev.leasehold.redis.quorum;

import dev.leasehold.spi.ClaimId;
import java.time.Duration;

/**
 * A ballot asks a node of a quorum to accept a token for an attempt.
 *
 * @param lock the lock's name
 * @param attempt names the attempt; never used again once it has failed
 * @param shares whether the attempt is a reader's, which holds the lock beside other readers; else it excludes everybody
 * @param token the proposal: a node accepts it only above all that it has seen
 * @param spare how many tokens beyond it the run reserves
 * @param lease how long the lock should be the attempt's
 * @param kind what the node is asked for beside that
 */
public record Ballot(String lock, ClaimId attempt, boolean shares, long token, int spare, Duration lease, Kind kind) {

    /** The kind of a ballot says what it does beside being accepted or refused. */
    public enum Kind {
        /** Takes the lock if it is free and nobody is waiting for it. */
        CLAIM(0),
        /** It claims the lock, and joins the node's queue where it is refused. */
        QUEUE(1),
        /** Gives a lease that a majority has just confirmed to a node that has lost it, even if others wait there. */
        TOP_UP(2),
        /** A {@link #CLAIM} by a reader whose turn it is at the gate: it counts also where readers are shut out for a moment. */
        TURN(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** Returns the script's code for it. */
        public int code() {
            return code;
        }
    }

    /** Returns the end of the run, which the node's last token reaches by accepting. */
    public long endOfRun() {
        return token + spare;
    }

    Ballot with(long proposal) {
        return new Ballot(lock, attempt, shares, proposal, spare, lease, kind);
    }
}

package dev.leasehold.redis.quorum;

import java.time.Duration;

/**
 * Quorum settings are the rules on which all clients of a quorum must agree, and the time limits of this one.
 *
 * @param maxLease the longest lease of any client: so long a node that may have forgotten something has no vote
 * @param nodeTimeout how long one node's answer is waited for, at most
 * @param requestHorizon how long a request that was given up may still be on its way
 * @param gated whether those who wait stand in line at the gate; without, they try again after random delays, as the
 *     published algorithm has it: only to measure what the gate is good for
 */
public record QuorumSettings(Duration maxLease, Duration nodeTimeout, Duration requestHorizon, boolean gated) {

    public static final Duration MAX_LEASE = Duration.ofSeconds(60);
    public static final Duration NODE_TIMEOUT = Duration.ofMillis(50);
}

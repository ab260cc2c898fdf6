package dev.leasehold.redis;

import java.time.Duration;

/**
 * What all clients of a quorum must agree on, and how this one waits for its nodes.
 *
 * @param maxLease the longest lease of any client: so long a node that may have forgotten something has no vote
 * @param nodeTimeout how long one node's answer is waited for, at most
 * @param requestHorizon how long a request that was given up may still be on its way
 */
record QuorumSettings(Duration maxLease, Duration nodeTimeout, Duration requestHorizon) {

    static final Duration MAX_LEASE = Duration.ofSeconds(60);
    static final Duration NODE_TIMEOUT = Duration.ofMillis(50);
}

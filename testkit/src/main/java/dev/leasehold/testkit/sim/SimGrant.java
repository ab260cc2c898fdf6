package dev.leasehold.testkit.sim;

import dev.leasehold.spi.LeaseId;

/** One grant of the node, as the judge has seen it: a run of tokens for one client. */
final class SimGrant {

    final LeaseId lease;
    final int spare;
    /** The store has lost it or an operator has broken it: exclusion is no longer the store's promise. */
    boolean excused;
    /** Until when its holder may rightly believe in it. */
    long excusedUntilMicros;

    int holds;

    SimGrant(LeaseId lease, int spare) {
        this.lease = lease;
        this.spare = spare;
    }

    boolean has(long token) {
        return lease.token() <= token && token <= lease.token() + spare;
    }

    void excuse(long untilMicros) {
        excused = true;
        excusedUntilMicros = untilMicros;
    }
}

package dev.leasehold.testkit.sim;

import dev.leasehold.spi.LeaseId;

/** One grant of the node, as the judge has seen it: a run of tokens for one client. */
final class SimGrant {

    final LeaseId lease;
    final int spare;
    final long at;
    /** The store has lost it or an operator has broken it: exclusion is no longer the store's promise. */
    boolean excused;
    /** Until when its holder may rightly believe in it. */
    long excusedUntilMicros;

    int holds;
    /** In true time, or 0. */
    long keptUntil;

    SimGrant(LeaseId lease, int spare, long at) {
        this.lease = lease;
        this.spare = spare;
        this.at = at;
    }

    boolean has(long token) {
        return lease.token() <= token && token <= lease.token() + spare;
    }

    void keepUntil(long trueNanos) {
        keptUntil = Math.max(keptUntil, trueNanos);
    }

    void excuse(long untilMicros) {
        excused = true;
        excusedUntilMicros = untilMicros;
    }
}

package dev.leasehold.simulator;

import dev.leasehold.spi.LeaseId;

/** A simulated grant is one of the node's, as the judge has seen it: a run of tokens for one client. */
final class SimGrant {

    final LeaseId lease;
    final int spare;
    final long at;
    /** With how many it shares: an exclusive one may become a reader. */
    int share;

    final int slot;
    /** The latest end that the node has named, by the node's clock. */
    long endMicros;

    /** The store has lost it or an operator has broken it: exclusion is no longer the store's promise. */
    boolean excused;
    /** Until when its holder may rightly believe in it. */
    long excusedUntilMicros;

    /** Its holder was told of the loss before its deadline, so the store keeps it while work may go on. */
    boolean left;

    int holds;
    /** In true time, or 0. */
    long keptUntil;

    SimGrant(LeaseId lease, int spare, int share, int slot, long at) {
        this.lease = lease;
        this.spare = spare;
        this.share = share;
        this.slot = slot;
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

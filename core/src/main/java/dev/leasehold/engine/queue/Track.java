package dev.leasehold.engine.queue;

/**
 * A track is one way of a local queue to the lock: a claim before the store, then the lease that the claim was granted, then
 * nothing again. An exclusive lock has one, a shared one as many as it has claims and leases.
 */
record Track(Claimant claimant, Watchdog watchdog) {

    /** Returns whether nothing of it is before the store. */
    boolean isIdle() {
        return !claimant.hasClaim() && watchdog.storeLease() == null;
    }
}

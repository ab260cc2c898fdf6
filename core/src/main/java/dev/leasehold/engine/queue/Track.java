package dev.leasehold.engine.queue;

/**
 * A track is one way of a local queue to the lock: a claim before the store, then the lease that the claim was granted, then
 * nothing again. An exclusive lock has one, a shared one as many as it has claims and leases.
 */
final class Track {

    private final Claimant claimant;
    private final Watchdog watchdog;

    Track(Claimant claimant, Watchdog watchdog) {
        this.claimant = claimant;
        this.watchdog = watchdog;
    }

    Claimant claimant() {
        return claimant;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    /** Returns whether nothing of it is before the store. */
    boolean isIdle() {
        return !claimant.hasClaim() && watchdog.storeLease() == null;
    }
}

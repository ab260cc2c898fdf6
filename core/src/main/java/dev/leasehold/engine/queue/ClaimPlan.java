package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;

/**
 * The claim plan of a local queue says how many claims have to be before the store, and for whom. An exclusive lock has one
 * while somebody waits and this process has no lease.
 */
final class ClaimPlan {

    /** At most this many claims of one process may wait for a shared lock. */
    private static final int MOST_CLAIMS = 64;

    private final int share;
    private final QueueSettings settings;
    private final WaitingCallers waiting;
    private final Tracks tracks;
    private final PendingCleanups cleanups;

    ClaimPlan(int share, QueueSettings settings, WaitingCallers waiting, Tracks tracks, PendingCleanups cleanups) {
        this.share = share;
        this.settings = settings;
        this.waiting = waiting;
        this.tracks = tracks;
        this.cleanups = cleanups;
    }

    /**
     * Has as many claims before the store as there are callers without a lease, and no more than can be granted together. Of
     * those that are not needed any more the youngest leave first.
     */
    void seek(EventHandling at) {
        int wanted = claimsWanted();
        int claims = 0;
        for (int i = 0; i < tracks.count(); i++) {
            Claimant claimant = tracks.get(i).claimant();
            if (claimant.isForgotten(at.now())) {
                claimant.withdraw(at);
            }
            claims += claimant.hasClaim() ? 1 : 0;
        }
        for (int i = tracks.count() - 1; i >= 0 && claims > wanted; i--) {
            if (tracks.get(i).claimant().hasClaim()) {
                if (!tracks.get(i).claimant().withdraw(at)) {
                    break;
                }
                claims--;
            }
        }
        while (claims < wanted && !areBlocked()) {
            Caller caller = waiting.at(claims + tracks.leasesToGive());
            int spare = share == Claim.EXCLUSIVE && waiting.size() > 1 ? settings.localHandOvers() : 0;
            boolean enqueue = tracks.queuedClaims() < waiting.staying();
            freeTrack().claimant().begin(caller.firstLease(), spare, enqueue, at);
            claims++;
        }
        for (int i = 0; i < tracks.count(); i++) {
            tracks.get(i).claimant().send(at);
        }
    }

    private int claimsWanted() {
        if (share == Claim.EXCLUSIVE) {
            return waiting.isEmpty() || tracks.get(0).watchdog().storeLease() != null ? 0 : 1;
        }
        return Math.min(Math.min(share, MOST_CLAIMS), Math.max(0, waiting.size() - tracks.leasesToGive()));
    }

    /** Returns a track for a new claim. */
    private Track freeTrack() {
        return share == Claim.EXCLUSIVE ? tracks.get(0) : tracks.add();
    }

    /**
     * Returns whether a new claim has to wait for the answer to a release, because until then this process itself has all
     * that the lock can give.
     */
    boolean areBlocked() {
        return cleanups.blocking() > 0 && tracks.leases() + cleanups.blocking() >= share;
    }
}

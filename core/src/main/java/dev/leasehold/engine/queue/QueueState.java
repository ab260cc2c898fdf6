package dev.leasehold.engine.queue;

import java.util.ArrayList;
import java.util.function.Predicate;

/**
 * The state of a local queue is the callers that wait, the claims before the store, the leases that it has granted, and what
 * has to leave it. The steps over it are those of {@link CallerService}, {@link ClaimPlan}, {@link Claimant}, {@link
 * StrayAnswers}, {@link StoreTimeouts} and {@link Watchdog}, which keep nothing themselves.
 */
final class QueueState {

    final String lock;
    final int share;
    final QueueSettings settings;
    final WaitingCallers waiting = new WaitingCallers();

    /** These are the claims before the store, the oldest first: one at most for an exclusive lock. */
    final ArrayList<PendingClaim> claims = new ArrayList<>(1);

    final Leases leases = new Leases();
    final PendingCleanups cleanups;
    final StoreOutage outage = new StoreOutage();

    QueueState(String lock, int share, QueueSettings settings) {
        this.lock = lock;
        this.share = share;
        this.settings = settings;
        this.cleanups = new PendingCleanups(lock, settings);
    }

    /** Returns how many of the claims are as they are asked to be. (No iterator, here and below: this is done at each event.) */
    int claims(Predicate<PendingClaim> which) {
        int count = 0;
        for (int i = 0; i < claims.size(); i++) {
            count += which.test(claims.get(i)) ? 1 : 0;
        }
        return count;
    }

    /** Returns whether the store may have anything of this queue but what is being cleaned up. */
    boolean mayHaveLeftTraces() {
        return leases.size() > 0 || claims(claim -> claim.isUnderWay() || claim.mayHaveLeftTraces()) > 0;
    }

    /** Notes that the store has answered. */
    void heard(long now) {
        settings.contact().make();
        outage.answered(claims(PendingClaim::isUnderWay) > 0, now);
    }
}

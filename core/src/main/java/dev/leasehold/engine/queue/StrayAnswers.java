package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Stray answers are answers and signals that nobody waits for any more: the lease or claim that they speak of belongs to
 * nobody and is cleaned up; but not what was left in the store, since work may go on under it.
 */
final class StrayAnswers {

    private final Tracks tracks;
    private final PendingCleanups cleanups;

    StrayAnswers(Tracks tracks, PendingCleanups cleanups) {
        this.tracks = tracks;
        this.cleanups = cleanups;
    }

    /** Takes the answer to a claim that is finished. */
    void answered(ClaimId claim, ClaimAnswer answer, EventHandling at) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            granted(granted.lease(), granted.validity(), at);
        } else if (answer instanceof ClaimAnswer.Busy busy && busy.place() > 0) {
            claimed(claim, at);
        }
    }

    /** Notes that a claim that is finished was not answered. */
    void failed(ClaimId claim, LockException failure, EventHandling at) {
        if (failure instanceof StoreUnavailableException unavailable && unavailable.outcome() == Outcome.UNKNOWN) {
            claimed(claim, at);
        }
    }

    /** Takes a stray grant: it repeats the grant of a present lease, or its lease has to be released. */
    void granted(LeaseId lease, @Nullable Validity validity, EventHandling at) {
        Track known = tracks.leasing(lease);
        if (known != null) {
            if (validity != null) {
                known.watchdog().confirm(validity, at);
            }
            return;
        }
        if (!cleanups.has(lease) && !cleanups.isLeft(lease, at.now())) {
            long left = validity == null ? 0 : validity.nanosLeft(at.now());
            cleanups.release(
                    lease, 0, false, Math.max(cleanups.longestLease(), left + left / 32), at.now(), at.actions());
        }
    }

    /**
     * Withdraws a claim that is finished here but may stand in the store's queue, or may have been granted. Not if its
     * lease is being released: then this is a late answer from before the grant, and a withdrawal that overtook the release
     * would make the release find nothing, as if the lease had been lost. The claim is withdrawn after the release.
     */
    private void claimed(ClaimId claim, EventHandling at) {
        if (cleanups.isLeft(claim, at.now())) {
            return;
        }
        if (!tracks.hasLeaseOf(claim) && !cleanups.withdrawAfterRelease(claim)) {
            cleanups.withdraw(claim, true, at.now(), at.actions());
        }
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Stray answers are answers and signals that nobody waits for any more: the lease or claim that they speak of belongs to
 * nobody and is cleaned up.
 */
final class StrayAnswers {

    private final Watchdog watchdog;
    private final PendingCleanups cleanups;

    StrayAnswers(Watchdog watchdog, PendingCleanups cleanups) {
        this.watchdog = watchdog;
        this.cleanups = cleanups;
    }

    /** Takes a stray grant: it repeats the grant of the present lease, or its lease has to be released. */
    void granted(LeaseId lease, @Nullable Validity validity, EventHandling at) {
        StoreLease current = watchdog.storeLease();
        if (current != null && current.lease().equals(lease)) {
            if (validity != null) {
                watchdog.confirm(current, validity, at);
            }
            return;
        }
        if (!cleanups.has(lease)) {
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
    void claimed(ClaimId claim, EventHandling at) {
        StoreLease current = watchdog.storeLease();
        boolean held = current != null && current.lease().claim().equals(claim);
        if (!held && !cleanups.withdrawAfterRelease(claim)) {
            cleanups.withdraw(claim, true, at.now(), at.actions());
        }
    }
}

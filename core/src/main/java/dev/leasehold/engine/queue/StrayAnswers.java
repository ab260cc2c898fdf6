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

    private StrayAnswers() {}

    /** Takes the answer to a claim that is finished. */
    static void answered(QueueState queue, ClaimId claim, ClaimAnswer answer, EventHandling at) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            granted(queue, granted.lease(), granted.validity(), at);
        } else if (answer instanceof ClaimAnswer.Busy busy && busy.place() > 0) {
            claimed(queue, claim, at);
        }
    }

    /** Notes that a claim that is finished was not answered. */
    static void failed(QueueState queue, ClaimId claim, LockException failure, EventHandling at) {
        if (failure instanceof StoreUnavailableException unavailable && unavailable.outcome() == Outcome.UNKNOWN) {
            claimed(queue, claim, at);
        }
    }

    /** Takes a stray grant: it repeats the grant of a present lease, or its lease has to be released. */
    static void granted(QueueState queue, LeaseId lease, @Nullable Validity validity, EventHandling at) {
        StoreLease known = queue.leases.named(lease);
        if (known != null) {
            if (validity != null) {
                Watchdog.confirm(known, validity, validity.sentAt().nanos(), at);
            }
            return;
        }
        if (!queue.cleanups.has(lease) && !queue.cleanups.isLeft(lease, at.now())) {
            long left = validity == null ? 0 : validity.nanosLeft(at.now());
            queue.cleanups.release(
                    lease, 0, false, Math.max(queue.cleanups.longestLease(), left + left / 32), at.now(), at.actions());
        }
    }

    /**
     * Withdraws a claim that is finished here but may stand in the store's queue, or may have been granted. Not if its
     * lease is being released: then this is a late answer from before the grant, and a withdrawal that overtook the release
     * would make the release find nothing, as if the lease had been lost. The claim is withdrawn after the release.
     */
    private static void claimed(QueueState queue, ClaimId claim, EventHandling at) {
        if (queue.cleanups.isLeft(claim, at.now())) {
            return;
        }
        if (!queue.leases.isAnyOf(claim) && !queue.cleanups.withdrawAfterRelease(claim)) {
            queue.cleanups.withdraw(claim, true, at.now(), at.actions());
        }
    }
}

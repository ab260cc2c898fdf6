package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;

/**
 * The claimant keeps each claim before the store for as long as it is wanted, and takes the lease when it is granted. A
 * grant that comes too late to be used is given back, and another claim begins after a pause.
 */
final class Claimant {

    private Claimant() {}

    /** Takes the answer to a claim. */
    static void answered(QueueState queue, PendingClaim asked, ClaimAnswer answer, EventHandling at) {
        if (answer instanceof ClaimAnswer.Granted granted) {
            asked.answered();
            take(queue, asked, granted.lease(), granted.spare(), granted.slot(), granted.validity(), false, at);
        } else if (answer instanceof ClaimAnswer.Busy busy) {
            busy(queue, asked, busy, at);
        }
    }

    private static void busy(QueueState queue, PendingClaim asked, ClaimAnswer.Busy answer, EventHandling at) {
        queue.waiting.noteContention(asked.busyForCallersTo());
        queue.waiting.noteHolder(answer.holder());
        asked.busy(answer, at.now());
        queue.heard(at.now());
        queue.outage.inTime();
        queue.waiting.refuseTrying(queue.claims(PendingClaim::isUnderWay), asked.busyForCallersTo(), at);
        if (!asked.claim().enqueue()) {
            queue.claims.remove(asked);
            if (asked.mayHaveStragglers()) {
                queue.cleanups.withdraw(asked.claim().id(), true, at.now(), at.actions());
            }
        }
    }

    /**
     * Takes a grant. If the answer is so old that the lease is over, the claim is finished and another begins, after a pause
     * as after a failure: the next answer may be as old, and come at once.
     */
    private static void take(
            QueueState queue,
            PendingClaim granted,
            LeaseId lease,
            int spare,
            int slot,
            Validity validity,
            boolean pushed,
            EventHandling at) {
        queue.claims.remove(granted);
        queue.claims.trimToSize(); // A lease may be held for long.
        Claim claim = granted.claim();
        if (validity.isOver(at.now())) {
            queue.cleanups.release(
                    lease, 0, granted.mayHaveStragglers(), claim.lease().toNanos(), at.now(), at.actions());
            queue.outage.late(granted.sentAt(), tooLate(queue, claim));
            return;
        }
        queue.heard(at.now());
        queue.outage.inTime();
        boolean stragglers = granted.mayHaveLateRequests();
        queue.leases.add(new StoreLease(
                lease,
                queue.share,
                queue.share == Claim.EXCLUSIVE ? spare : 0,
                slot,
                validity,
                claim.lease(),
                pushed,
                stragglers,
                at.now(),
                queue.settings.random()));
    }

    private static StoreUnavailableException tooLate(QueueState queue, Claim claim) {
        return new StoreUnavailableException(
                "the store " + queue.settings.store() + " granted '" + queue.lock + "' so slowly that the lease of "
                        + DurationText.of(claim.lease())
                        + " had run out when the answer came; the lock is not held. Choose a longer lease",
                queue.settings.store(),
                Outcome.NOT_CARRIED_OUT,
                null);
    }

    /** Notes that a claim was not answered. */
    static void failed(QueueState queue, PendingClaim asked, LockException failure, EventHandling at) {
        queue.outage.failed(failure, at.now());
        if (failure instanceof StoreUnavailableException unavailable) {
            asked.failed(unavailable.outcome() == Outcome.UNKNOWN, at.now());
            if (StoreOutage.isInVain(failure)) {
                for (Caller caller : queue.waiting.removeTrying()) {
                    at.add(new Action.Fail(caller, failure));
                }
            }
            return;
        }
        // It may have been sent before they met.
        asked.failed(Causes.unfit(failure, "") != null, at.now());
        queue.heard(at.now());
        queue.waiting.failAll(failure, at);
    }

    /** Takes the signal that a claim was granted. */
    static void granted(QueueState queue, PendingClaim asked, Event.GrantSignal signal, EventHandling at) {
        Validity validity = signal.validity();
        if (validity == null || validity.isOver(at.now())) {
            asked.askNow(at.now());
            return;
        }
        Grant grant = signal.grant();
        take(queue, asked, grant.lease(), grant.spare(), grant.slot(), validity, true, at);
    }

    /** Withdraws a claim, unless an answer is under way. */
    static boolean withdraw(QueueState queue, PendingClaim current, EventHandling at) {
        if (current.isUnderWay()) {
            return false;
        }
        if (current.mayHaveLeftTraces()) {
            queue.cleanups.withdraw(current.claim().id(), current.mayHaveStragglers(), at.now(), at.actions());
        }
        return true;
    }

    /** Begins with a claim. */
    static PendingClaim begin(QueueState queue, Duration lease, int spare, boolean enqueue, EventHandling at) {
        Claim claim = new Claim(
                queue.settings.claimIds().get(), queue.lock, queue.share, lease, spare, enqueue, Claim.UNKNOWN);
        queue.cleanups.claimed(claim.lease());
        PendingClaim begun = new PendingClaim(claim, queue.waiting.lastNumber(), at.now(), queue.settings.random());
        if (queue.outage.lateGrants() > 0) {
            begun.pauseAfter(queue.outage.lateGrants() - 1, at.now());
        }
        return begun;
    }

    /** Sends a claim if that is due. */
    static void send(QueueState queue, PendingClaim claim, EventHandling at) {
        if (claim.isDue(at.now())) {
            queue.outage.expectAnswer(at.now());
            at.add(claim.send(at.now()));
        }
    }
}

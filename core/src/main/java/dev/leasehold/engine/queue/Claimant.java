package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The claimant of a track keeps one claim before the store for as long as it is wanted, and takes the lease when it is
 * granted. A grant that comes too late to be used is given back, and another claim begins after a pause.
 */
final class Claimant {

    private final String lock;
    private final int share;
    private final QueueSettings settings;
    private final WaitingCallers waiting;
    private final StoreOutage outage;
    private final PendingCleanups cleanups;
    private final Watchdog watchdog;
    private final Tracks tracks;

    private @Nullable PendingClaim pending;

    Claimant(
            String lock,
            int share,
            QueueSettings settings,
            WaitingCallers waiting,
            StoreOutage outage,
            PendingCleanups cleanups,
            Watchdog watchdog,
            Tracks tracks) {
        this.lock = lock;
        this.share = share;
        this.settings = settings;
        this.waiting = waiting;
        this.outage = outage;
        this.cleanups = cleanups;
        this.watchdog = watchdog;
        this.tracks = tracks;
    }

    boolean hasClaim() {
        return pending != null;
    }

    boolean isFor(ClaimId claim) {
        PendingClaim current = pending;
        return current != null && current.claim().id().equals(claim);
    }

    /** Returns whether its claim stands in the store's queue, or will if the lock is taken. */
    boolean isQueued() {
        return pending != null && pending.claim().enqueue();
    }

    /** Returns whether an answer to the claim is under way. */
    boolean isUnderWay() {
        return pending != null && pending.isUnderWay();
    }

    boolean saysBusy() {
        return pending != null && pending.saysBusy();
    }

    boolean mayHaveLeftTraces() {
        PendingClaim asked = pending;
        return asked != null && (asked.isUnderWay() || asked.mayHaveLeftTraces());
    }

    /** Forgets the claim after a fault; anything that it has left in the store runs out there. */
    void discard() {
        pending = null;
    }

    /** Asks at once, or as soon as the request under way is answered. */
    void askNow(EventHandling at) {
        PendingClaim asked = pending;
        if (asked != null) {
            asked.askNow(at.now());
        }
    }

    /** Counts a request as lost when its answer can no longer be expected. */
    void look(EventHandling at) {
        if (pending != null && pending.isUnanswered(settings.longestAnswerNanos(), at.now())) {
            pending.failed(true, at.now());
        }
    }

    /** Returns when to look next; {@link DueTimes#NEVER} if there is nothing to ask. */
    long nextLook() {
        PendingClaim asked = pending;
        return asked == null ? DueTimes.NEVER : asked.nextLook(settings.longestAnswerNanos());
    }

    /** Takes the answer to its claim. */
    void answered(ClaimAnswer answer, EventHandling at) {
        PendingClaim asked = Objects.requireNonNull(pending);
        if (answer instanceof ClaimAnswer.Granted granted) {
            asked.answered();
            take(asked, granted.lease(), granted.spare(), granted.slot(), granted.validity(), false, at);
        } else if (answer instanceof ClaimAnswer.Busy busy) {
            busy(asked, busy, at);
        }
    }

    private void busy(PendingClaim asked, ClaimAnswer.Busy answer, EventHandling at) {
        waiting.noteContention(asked.busyForCallersTo());
        waiting.noteHolder(answer.holder());
        asked.busy(answer, at.now());
        heard(at);
        outage.inTime();
        waiting.refuseTrying(tracks.claimsUnderWay(), asked.busyForCallersTo(), at);
        if (!asked.claim().enqueue()) {
            pending = null;
            if (asked.mayHaveStragglers()) {
                cleanups.withdraw(asked.claim().id(), true, at.now(), at.actions());
            }
        }
    }

    /**
     * Takes a grant. If the answer is so old that the lease is over, the claim is finished and another begins, after a pause
     * as after a failure: the next answer may be as old, and come at once.
     */
    private void take(
            PendingClaim granted,
            LeaseId lease,
            int spare,
            int slot,
            Validity validity,
            boolean pushed,
            EventHandling at) {
        pending = null;
        Claim claim = granted.claim();
        if (validity.isOver(at.now())) {
            cleanups.release(
                    lease, 0, granted.mayHaveStragglers(), claim.lease().toNanos(), at.now(), at.actions());
            outage.late(granted.sentAt(), tooLate(claim));
            return;
        }
        heard(at);
        outage.inTime();
        boolean stragglers = granted.mayHaveLateRequests();
        watchdog.begin(new StoreLease(
                lease,
                share,
                share == Claim.EXCLUSIVE ? spare : 0,
                slot,
                validity,
                claim.lease(),
                pushed,
                stragglers,
                at.now(),
                settings.random()));
    }

    private StoreUnavailableException tooLate(Claim claim) {
        return new StoreUnavailableException(
                "the store " + settings.store() + " granted '" + lock + "' so slowly that the lease of "
                        + DurationText.of(claim.lease())
                        + " had run out when the answer came; the lock is not held. Choose a longer lease",
                settings.store(),
                Outcome.NOT_CARRIED_OUT,
                null);
    }

    /** Notes that its claim was not answered. */
    void failed(LockException failure, EventHandling at) {
        PendingClaim asked = Objects.requireNonNull(pending);
        outage.failed(failure, at.now());
        if (failure instanceof StoreUnavailableException unavailable) {
            asked.failed(unavailable.outcome() == Outcome.UNKNOWN, at.now());
            if (StoreOutage.isInVain(failure)) {
                for (Caller caller : waiting.removeTrying()) {
                    at.add(new Action.Fail(caller, failure));
                }
            }
            return;
        }
        // It may have been sent before they met.
        asked.failed(Causes.unfit(failure, "") != null, at.now());
        heard(at);
        waiting.failAll(failure, at);
    }

    /** Takes the signal that its claim was granted. */
    void granted(Event.GrantSignal signal, EventHandling at) {
        PendingClaim asked = Objects.requireNonNull(pending);
        Validity validity = signal.validity();
        if (validity == null || validity.isOver(at.now())) {
            asked.askNow(at.now());
            return;
        }
        Grant grant = signal.grant();
        take(asked, grant.lease(), grant.spare(), grant.slot(), validity, true, at);
    }

    /** Returns whether the store may have passed its claim over, because it has heard nothing of it for too long. */
    boolean isForgotten(long now) {
        return pending != null && !pending.isUnderWay() && pending.isForgotten(now);
    }

    /** Withdraws its claim, unless an answer is under way. */
    boolean withdraw(EventHandling at) {
        PendingClaim current = pending;
        if (current == null || current.isUnderWay()) {
            return false;
        }
        pending = null;
        if (current.mayHaveLeftTraces()) {
            cleanups.withdraw(current.claim().id(), current.mayHaveStragglers(), at.now(), at.actions());
        }
        return true;
    }

    /** Begins with a claim. */
    void begin(Duration lease, int spare, boolean enqueue, EventHandling at) {
        Claim claim = new Claim(settings.claimIds().get(), lock, share, lease, spare, enqueue, Claim.UNKNOWN);
        cleanups.claimed(claim.lease());
        PendingClaim begun = new PendingClaim(claim, waiting.lastNumber(), at.now(), settings.random());
        if (outage.lateGrants() > 0) {
            begun.pauseAfter(outage.lateGrants() - 1, at.now());
        }
        pending = begun;
    }

    /** Sends its claim if that is due. */
    void send(EventHandling at) {
        PendingClaim current = pending;
        if (current != null && current.isDue(at.now())) {
            outage.expectAnswer(at.now());
            at.add(current.send(at.now()));
        }
    }

    /** Notes that the store has answered. */
    private void heard(EventHandling at) {
        settings.contact().make();
        outage.answered(tracks.claimsUnderWay() > 0, at.now());
    }
}

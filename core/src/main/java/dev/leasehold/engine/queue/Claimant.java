package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The claimant keeps one claim before the store for as long as somebody waits and this process has no lease, and takes the
 * lease when it is granted. A grant that comes too late to be used is given back, and another claim begins.
 */
final class Claimant {

    private final String lock;
    private final int share;
    private final QueueSettings settings;
    private final WaitingCallers waiting;
    private final StoreOutage outage;
    private final PendingCleanups cleanups;
    private final Watchdog watchdog;
    private final StrayAnswers strayAnswers;

    private @Nullable PendingClaim pending;

    Claimant(
            String lock,
            int share,
            QueueSettings settings,
            WaitingCallers waiting,
            StoreOutage outage,
            PendingCleanups cleanups,
            Watchdog watchdog) {
        this.lock = lock;
        this.share = share;
        this.settings = settings;
        this.waiting = waiting;
        this.outage = outage;
        this.cleanups = cleanups;
        this.watchdog = watchdog;
        this.strayAnswers = new StrayAnswers(watchdog, cleanups);
    }

    boolean hasClaim() {
        return pending != null;
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

    /** Returns when to look next; {@link LocalQueue#NEVER} if there is nothing to ask. */
    long nextLook() {
        PendingClaim asked = pending;
        return asked != null && (asked.isUnderWay() || !cleanups.isBlocked())
                ? asked.nextLook(settings.longestAnswerNanos())
                : LocalQueue.NEVER;
    }

    void answered(ClaimId claim, ClaimAnswer answer, EventHandling at) {
        PendingClaim asked = pendingClaim(claim);
        if (answer instanceof ClaimAnswer.Granted granted) {
            if (asked != null) {
                asked.answered();
                take(asked, granted.lease(), granted.spare(), granted.validity(), false, at);
            } else {
                strayAnswers.granted(granted.lease(), granted.validity(), at);
            }
        } else if (answer instanceof ClaimAnswer.Busy busy) {
            if (asked != null) {
                busy(asked, busy, at);
            } else if (busy.place() > 0) {
                strayAnswers.claimed(claim, at);
            }
        }
    }

    private void busy(PendingClaim asked, ClaimAnswer.Busy answer, EventHandling at) {
        waiting.noteContention();
        asked.busy(answer, at.now());
        heard(at);
        outage.inTime();
        waiting.refuseTrying(at);
        if (!asked.claim().enqueue()) {
            pending = null;
            if (asked.mayHaveStragglers()) {
                cleanups.withdraw(asked.claim().id(), true, at.now(), at.actions());
            }
        }
    }

    private @Nullable PendingClaim pendingClaim(ClaimId claim) {
        PendingClaim current = pending;
        return current != null && current.claim().id().equals(claim) ? current : null;
    }

    /** Takes a grant. If the answer is so old that the lease is over, the claim is finished and another begins. */
    private void take(
            PendingClaim granted, LeaseId lease, int spare, Validity validity, boolean pushed, EventHandling at) {
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
        boolean stragglers = granted.mayHaveStragglers() || granted.isUnderWay();
        watchdog.begin(
                new StoreLease(lease, spare, validity, claim.lease(), pushed, stragglers, at.now(), settings.random()));
    }

    private StoreUnavailableException tooLate(Claim claim) {
        return new StoreUnavailableException(
                "the store " + settings.store() + " granted '" + lock + "' so slowly that the lease of "
                        + DurationText.of(claim.lease())
                        + " had run out when the answer came; the lock is not held. Choose a longer lease",
                settings.store(),
                Outcome.NOT_ACQUIRED,
                null);
    }

    void failed(ClaimId claim, LockException failure, EventHandling at) {
        PendingClaim asked = pendingClaim(claim);
        if (asked == null) {
            if (failure instanceof StoreUnavailableException unavailable && unavailable.outcome() == Outcome.UNKNOWN) {
                strayAnswers.claimed(claim, at);
            }
            return;
        }
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
        asked.failed(false, at.now());
        heard(at);
        waiting.failAll(failure, at);
    }

    void granted(Event.GrantSignal signal, EventHandling at) {
        PendingClaim asked = pendingClaim(signal.grant().lease().claim());
        if (asked == null) {
            strayAnswers.granted(signal.grant().lease(), signal.validity(), at);
            return;
        }
        Validity validity = signal.validity();
        if (validity == null || validity.isOver(at.now())) {
            asked.askNow(at.now());
            return;
        }
        take(asked, signal.grant().lease(), signal.grant().spare(), validity, true, at);
    }

    /** Makes sure that one claim is before the store while somebody waits and there is no lease. */
    void seek(EventHandling at) {
        if (watchdog.storeLease() != null) {
            return;
        }
        PendingClaim current = pending;
        if (current != null && !current.isUnderWay() && (waiting.isEmpty() || current.isForgotten(at.now()))) {
            pending = null;
            if (current.mayHaveLeftTraces()) {
                cleanups.withdraw(current.claim().id(), current.mayHaveStragglers(), at.now(), at.actions());
            }
            current = null;
        }
        Caller first = waiting.first();
        if (first == null || cleanups.isBlocked()) {
            return;
        }
        if (current == null) {
            int spare = share == Claim.EXCLUSIVE && waiting.size() > 1 ? settings.localHandOvers() : 0;
            Claim claim = new Claim(
                    settings.claimIds().get(),
                    lock,
                    share,
                    first.firstLease(),
                    spare,
                    waiting.isAnyWaiting(),
                    Claim.UNKNOWN);
            cleanups.claimed(claim.lease());
            current = new PendingClaim(claim, at.now(), settings.random());
            pending = current;
        }
        if (current.isDue(at.now())) {
            outage.expectAnswer(at.now());
            at.add(current.send(at.now()));
        }
    }

    /** Notes that the store has answered. */
    void heard(EventHandling at) {
        settings.contact().make();
        outage.answered(isUnderWay(), at.now());
    }
}

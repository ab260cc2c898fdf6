package dev.leasehold.engine.queue;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one process that wait for one lock, and the lease they share: a pure state machine. Events go in with the
 * time at which they happened, actions come out; there are no sockets, no threads and no clocks in here.
 *
 * <p>Why it is right. At any moment the queue has at most one {@link Tenure} (a lease of the store's) or one {@link
 * Attempt} (a claim before the store), never both, and a tenure has at most one {@link Hold}. Callers get holds only from
 * the tenure, one after the other and in their order, so two callers of this process never hold at once; that two
 * processes do not is the store's part, and the tenure's deadline. Whatever else comes from the store (a grant to a claim
 * that is finished, a second grant, an answer that was waited for no longer) belongs to nobody and is undone at once. What
 * has to leave the store is among the {@link Undos}, repeated until the store has answered or until it cannot be there any more.
 *
 * <p>After each event {@link #settle} looks at the whole state: is the lease over, whose {@link Patience} with the store is
 * over, can the next caller be served, must the store be asked. The handlers of events only write down what is new.
 */
public final class LocalQueue {

    private static final long TURN_NANOS = 10_000_000L;

    private static final String CLOSED = "the client was closed while it was held";

    /** No time at which anything is due. */
    public static final long NEVER = Long.MAX_VALUE;

    private final String lock;
    private final QueueSettings settings;
    private final WaitingCallers waiting = new WaitingCallers();
    private final Undos undos;
    private final StoreSilence silence = new StoreSilence();
    private final Patience patience;

    private @Nullable Tenure tenure;
    private @Nullable Attempt attempt;
    private @Nullable Hold vacated;
    private boolean closed;

    private List<Action> actions = new ArrayList<>();
    private ClockReading clocks = new ClockReading(0, 0);
    private long now;

    public LocalQueue(String lock, QueueSettings settings) {
        this.lock = lock;
        this.settings = settings;
        this.undos = new Undos(lock, settings);
        this.patience = new Patience(lock, settings, waiting, silence);
    }

    /** Whether nothing would be forgotten if the queue were. */
    public boolean isIdle() {
        return waiting.isEmpty() && tenure == null && attempt == null && undos.isEmpty();
    }

    /**
     * Takes an event in.
     *
     * @param event what happened
     * @param at when
     * @return what is to be done, in this order
     */
    public List<Action> on(Event event, ClockReading at) {
        actions = new ArrayList<>(4);
        clocks = at;
        now = at.nanos();
        handle(event);
        settle();
        return actions;
    }

    private void handle(Event event) {
        if (event instanceof Event.Join join) {
            join(join.caller());
        } else if (event instanceof Event.Leave leave) {
            waiting.remove(leave.caller());
        } else if (event instanceof Event.WaitOver over) {
            waitOver(over.caller());
        } else if (event instanceof Event.EndHold end) {
            endHold(end.hold());
        } else if (event instanceof Event.Extend extend) {
            extend(extend.hold(), extend.extension());
        } else if (event instanceof Event.ClaimAnswered answered) {
            claimAnswered(answered.claim(), answered.answer());
        } else if (event instanceof Event.ClaimFailed failed) {
            claimFailed(failed.claim(), failed.failure());
        } else if (event instanceof Event.RenewAnswered answered) {
            renewAnswered(answered.lease(), answered.answer());
        } else if (event instanceof Event.RenewFailed failed) {
            silence.failed(failed.failure(), now);
        } else if (event instanceof Event.ReleaseAnswered answered) {
            if (undos.released(answered.lease(), answered.answer(), now, actions)) {
                heard();
            }
        } else if (event instanceof Event.WithdrawAnswered answered) {
            undos.withdrawn(answered.claim(), now);
        } else if (event instanceof Event.UndoFailed failed) {
            silence.failed(failed.failure(), now);
            undos.failed(failed.claim(), failed.lease(), failed.failure(), now, actions);
        } else if (event instanceof Event.GrantSignal signal) {
            grantSignal(signal);
        } else if (event instanceof Event.DoubtSignal) {
            doubtSignal();
        } else if (event instanceof Event.RiskSignal) {
            riskSignal();
        } else if (event instanceof Event.Close) {
            close();
        } else if (event instanceof Event.Abandon) {
            close();
            abandon();
        }
    }

    // ---- callers -------------------------------------------------------------------------------------------------

    private void join(Caller caller) {
        if (closed) {
            actions.add(new Action.Fail(caller, new IllegalStateException("this Leasehold is closed")));
            return;
        }
        boolean busy = isKnownToBeBusy();
        if (caller.tries && busy) {
            actions.add(new Action.Refuse(caller));
            return;
        }
        waiting.add(caller, now);
        Hold held = tenure == null ? null : tenure.hold();
        if (busy && held != null && caller.waitNanos == 0 && caller.isWaitedForBy(held.waiter())) {
            actions.add(new Action.WaitsForItself(held));
        }
        if (busy) {
            waiting.noteContention();
        }
    }

    /** That others of this process wait too is no proof: perhaps the store does not answer any of them. */
    private boolean isKnownToBeBusy() {
        Hold hold = tenure == null ? null : tenure.hold();
        if (hold != null) {
            return !hold.state(clocks).isFinal();
        }
        return attempt != null && attempt.saysBusy();
    }

    private void refuseTrying() {
        for (Caller caller : waiting.removeTrying()) {
            actions.add(new Action.Refuse(caller));
        }
    }

    private void waitOver(Caller caller) {
        if (!waiting.contains(caller)) {
            return;
        }
        if (waiting.knowsContention(caller)) {
            waiting.remove(caller);
            actions.add(new Action.Refuse(caller));
            return;
        }
        LockException last = silence.lastFailure();
        if (last != null && isInVain(last)) {
            waiting.remove(caller);
            actions.add(new Action.Fail(caller, last));
        } else {
            waiting.stopWaiting(caller);
        }
    }

    private void close() {
        closed = true;
        for (Caller caller : waiting.removeAll()) {
            actions.add(new Action.Fail(
                    caller,
                    new IllegalStateException("this Leasehold was closed while '" + lock + "' was waited for")));
        }
    }

    private void abandon() {
        Tenure current = tenure;
        Hold hold = current == null ? null : current.hold();
        if (current == null || hold == null || !hold.abandon(clocks)) {
            return;
        }
        actions.add(new Action.Abandon(hold, current.nanosInStore(now)));
        leave(current, hold, CLOSED);
    }

    /**
     * Gives up a lease that its holder has not given back: work may go on under it for which the holder still has to be told,
     * so nobody else may begin. It is left to the store, where it runs out as if this process had died.
     */
    private void leave(Tenure left, Hold hold, String why) {
        announce(hold, LeaseState.LOST);
        failExtensions(left, why);
        actions.add(new Action.Settle(hold, LeaseState.LOST, null));
        tenure = null;
    }

    /**
     * Gives everything up after a fault, when nobody knows in which state this is. Callers fail. The holder is told that the
     * lease is lost, and the lease is left to the store, as if this process had died, and so is all that was on its way out.
     *
     * @param failed what could not be handled, where it is known
     */
    public List<Action> discard(@Nullable Event failed, @Nullable Throwable fault, ClockReading at) {
        actions = new ArrayList<>();
        clocks = at;
        now = at.nanos();
        closed = true;
        StoreUnavailableException why = new StoreUnavailableException(
                "Leasehold has a fault, and gave up what it knew of '" + lock
                        + "' in this process. The lock is not held here any"
                        + " more; what was asked of the store " + settings.store()
                        + " may have been carried out, and runs out"
                        + " there. Nothing else has to be done; please report the cause",
                settings.store(),
                Outcome.UNKNOWN,
                fault);
        for (Caller caller : waiting.removeAll()) {
            actions.add(new Action.Fail(caller, why));
        }
        if (failed instanceof Event.Join join) {
            actions.add(new Action.Fail(join.caller(), why));
        } else if (failed instanceof Event.Extend extend) {
            actions.add(new Action.AnswerExtension(extend.extension(), why));
        }
        Hold hold = tenure == null ? vacated : tenure.hold();
        if (hold != null && hold.state(clocks) != LeaseState.RELEASED) {
            hold.lose();
            announce(hold, LeaseState.LOST);
            actions.add(new Action.Settle(hold, LeaseState.LOST, null));
        } else if (hold != null) {
            actions.add(new Action.Settle(hold, LeaseState.RELEASED, why));
        }
        if (tenure != null) {
            failExtensions(tenure, "this process has given it up after a fault");
        }
        undos.giveUpAll(why, actions);
        tenure = null;
        attempt = null;
        return actions;
    }

    // ---- the holder ----------------------------------------------------------------------------------------------

    private void endHold(Hold hold) {
        Tenure current = tenure;
        if (current == null || current.hold() != hold) {
            return;
        }
        if (hold.state(clocks) == LeaseState.LOST) {
            loseTenure(current, "its lease had run out before it was released", true);
            return;
        }
        failExtensions(current, "it was released");
        announce(hold, LeaseState.RELEASED);
        current.vacate();
        long keep = hold.keepNanos(now);
        boolean doubtful = current.isDoubted() || hold.endedInDoubt() || !current.hasClocksInStep(clocks);
        if (keep > 0 || doubtful) {
            giveBack(current, hold, keep);
        } else {
            vacated = hold;
        }
    }

    private void extend(Hold hold, Extension extension) {
        Tenure current = tenure;
        if (current == null || current.hold() != hold || hold.state(clocks).isFinal()) {
            actions.add(new Action.AnswerExtension(
                    extension, new LeaseLostException(lock, hold.token(), "it was over before it could be extended")));
            return;
        }
        current.extend(extension, now);
    }

    private void failExtensions(Tenure of, String why) {
        Hold hold = of.hold();
        for (Extension extension : of.extensions()) {
            actions.add(new Action.AnswerExtension(
                    extension, new LeaseLostException(lock, hold == null ? 0 : hold.token(), why)));
        }
        of.extensions().clear();
    }

    private void announce(Hold hold, LeaseState state) {
        if (hold.announce(state)) {
            actions.add(new Action.Announce(hold, state));
        }
    }

    /** The lease is over against its holder's will. Where the store has not said so itself, it is told, just in case. */
    private void loseTenure(Tenure lost, String why, boolean tellStore) {
        Hold hold = lost.hold();
        if (hold != null) {
            hold.lose();
            announce(hold, LeaseState.LOST);
            failExtensions(lost, why);
            actions.add(new Action.Settle(hold, LeaseState.LOST, null));
        }
        settleVacated();
        tenure = null;
        if (tellStore || lost.mayHaveStragglers()) {
            long keep = hold == null ? 0 : hold.keepNanos(now);
            undos.release(lost.lease(), keep, lost.mayHaveStragglers(), lost.nanosInStore(now), now, actions);
        }
    }

    // ---- answers of the store ------------------------------------------------------------------------------------

    private void claimAnswered(ClaimId claim, ClaimAnswer answer) {
        Attempt asked = attemptOf(claim);
        if (answer instanceof ClaimAnswer.Granted granted) {
            if (asked != null) {
                asked.answered();
                take(asked, granted.lease(), granted.spare(), granted.validity(), false);
            } else {
                strayGrant(granted.lease(), granted.validity());
            }
        } else if (answer instanceof ClaimAnswer.Busy busy) {
            if (asked != null) {
                busy(asked, busy);
            } else if (busy.place() > 0) {
                strayClaim(claim);
            }
        }
    }

    private void busy(Attempt asked, ClaimAnswer.Busy answer) {
        waiting.noteContention();
        asked.busy(answer, now);
        heard();
        silence.inTime();
        refuseTrying();
        if (!asked.claim().enqueue()) {
            attempt = null;
            if (asked.mayHaveStragglers()) {
                undos.withdraw(asked.claim().id(), true, now, actions);
            }
        }
    }

    private @Nullable Attempt attemptOf(ClaimId claim) {
        Attempt current = attempt;
        return current != null && current.claim().id().equals(claim) ? current : null;
    }

    /** The claim was granted. If the answer is so old that the lease is over, the claim is finished and another begins. */
    private void take(Attempt granted, LeaseId lease, int spare, Validity validity, boolean pushed) {
        attempt = null;
        Claim claim = granted.claim();
        if (validity.isOver(now)) {
            undos.release(lease, 0, granted.mayHaveStragglers(), claim.lease().toNanos(), now, actions);
            silence.late(granted.sentAt(), tooLate(claim));
            return;
        }
        heard();
        silence.inTime();
        boolean stragglers = granted.mayHaveStragglers() || granted.isUnderWay();
        Tenure next = new Tenure(lease, spare, validity, claim.lease(), pushed, stragglers, now, settings.random());
        tenure = next;
    }

    private StoreUnavailableException tooLate(Claim claim) {
        return new StoreUnavailableException(
                "the store " + settings.store() + " granted '" + lock + "' so slowly that the lease of " + claim.lease()
                        + " had run out when the answer came; the lock is not held. Choose a longer lease",
                settings.store(),
                Outcome.NOT_ACQUIRED,
                null);
    }

    private void strayGrant(LeaseId lease, @Nullable Validity validity) {
        Tenure current = tenure;
        if (current != null && current.lease().equals(lease)) {
            if (validity != null) {
                confirm(current, validity);
            }
            return;
        }
        if (!undos.has(lease)) {
            long left = validity == null ? 0 : validity.nanosLeft(now);
            undos.release(lease, 0, false, Math.max(undos.longestLease(), left + left / 32), now, actions);
        }
    }

    /**
     * A claim that is not ours any more may stand in the store's queue, or may have been granted. Not if its lease is being
     * released: then this is a late word from before the grant, and a withdrawal that overtook the release would have it
     * find nothing, as if the lease had been lost. It is withdrawn after the release.
     */
    private void strayClaim(ClaimId claim) {
        Tenure current = tenure;
        boolean held = current != null && current.lease().claim().equals(claim);
        if (!held && !undos.withdrawAfterRelease(claim)) {
            undos.withdraw(claim, true, now, actions);
        }
    }

    private void claimFailed(ClaimId claim, LockException failure) {
        Attempt asked = attemptOf(claim);
        if (asked == null) {
            if (failure instanceof StoreUnavailableException unavailable && unavailable.outcome() == Outcome.UNKNOWN) {
                strayClaim(claim);
            }
            return;
        }
        silence.failed(failure, now);
        if (failure instanceof StoreUnavailableException unavailable) {
            asked.failed(unavailable.outcome() == Outcome.UNKNOWN, now);
            if (isInVain(failure)) {
                for (Caller caller : waiting.removeTrying()) {
                    actions.add(new Action.Fail(caller, failure));
                }
            }
            return;
        }
        asked.failed(false, now);
        heard();
        for (Caller caller : waiting.removeAll()) {
            actions.add(new Action.Fail(caller, failure));
        }
    }

    /** Whether the store was found to be down, or nothing listens there: asking again at once is in vain. */
    private static boolean isInVain(LockException failure) {
        if (!(failure instanceof StoreUnavailableException known)) {
            return false;
        }
        if (known.isLasting()) {
            return true;
        }
        for (Throwable cause = known.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
                return known.outcome() == Outcome.NOT_ACQUIRED;
            }
        }
        return false;
    }

    private void renewAnswered(LeaseId lease, RenewAnswer answer) {
        Tenure current = tenure;
        if (current == null || !current.lease().equals(lease)) {
            return;
        }
        if (answer instanceof RenewAnswer.Renewed renewed) {
            heard();
            confirm(current, renewed.validity());
        } else {
            loseTenure(current, "the store has no such lease any more", false);
        }
    }

    private void confirm(Tenure current, Validity validity) {
        Hold hold = current.hold();
        if (current.isOver(now) || (hold != null && hold.state(clocks).isFinal())) {
            return;
        }
        if (!validity.isConfirmedBy(clocks)) {
            if (!current.isDoubted()) {
                current.doubt(now);
            }
            return;
        }
        for (Extension extension : current.confirm(validity)) {
            actions.add(new Action.AnswerExtension(extension, null));
        }
    }

    private void grantSignal(Event.GrantSignal signal) {
        Attempt asked = attemptOf(signal.lease().claim());
        if (asked == null) {
            strayGrant(signal.lease(), signal.validity());
            return;
        }
        Validity validity = signal.validity();
        if (validity == null || validity.isOver(now)) {
            asked.askNow(now);
            return;
        }
        take(asked, signal.lease(), signal.spare(), validity, true);
    }

    private void doubtSignal() {
        Tenure current = tenure;
        if (current != null) {
            current.doubt(now);
        }
        Attempt asked = attempt;
        if (asked != null) {
            asked.askNow(now);
        }
    }

    private void riskSignal() {
        Hold hold = tenure == null ? null : tenure.hold();
        if (hold != null) {
            hold.risk(now);
        }
        doubtSignal();
    }

    /** Gives the lease back to the store, on behalf of the hold that has just ended, if there is one. */
    private void giveBack(Tenure back, @Nullable Hold hold, long keepNanos) {
        tenure = null;
        vacated = null;
        silence.owed(now);
        undos.giveBack(back, hold, keepNanos, now, actions);
    }

    private void settleVacated() {
        Hold ended = vacated;
        if (ended != null) {
            actions.add(new Action.Settle(ended, LeaseState.RELEASED, null));
            vacated = null;
        }
    }

    // ---- after each event ----------------------------------------------------------------------------------------

    private void settle() {
        watch();
        if (attempt != null && attempt.isUnanswered(settings.longestAnswerNanos(), now)) {
            attempt.failed(true, now);
        }
        undos.expectNoLonger(now);
        patience.look(isOwed(), mayHaveLeftTraces(), now, actions);
        serve();
        seek();
        undos.look(silence.lastFailure(), now, actions);
    }

    /** The watchdog's look: is the lease over, at risk, in doubt, to be renewed? */
    private void watch() {
        Tenure current = tenure;
        if (current == null) {
            return;
        }
        Hold hold = current.hold();
        if (hold != null && hold.state(clocks) == LeaseState.RELEASED) {
            endHold(hold);
            if (tenure == null) {
                return;
            }
            hold = null;
        }
        if (hold != null) {
            LeaseState state = hold.state(clocks);
            if (hold.wasLostInDoubt()) {
                leave(current, hold, "it was in doubt for too long");
                return;
            }
            if (state == LeaseState.LOST) {
                loseTenure(current, "its lease ran out before the store confirmed it again", true);
                return;
            }
            announce(hold, state);
            if (state == LeaseState.UNCONFIRMED && !current.isDoubted()) {
                current.doubt(now);
            }
        } else if (current.isOver(now)) {
            loseTenure(current, "", true);
            return;
        }
        renew(current);
    }

    private void renew(Tenure current) {
        if (!current.isRequestDue(now)) {
            return;
        }
        Hold hold = current.hold();
        if (hold != null && current.isRenewing() && (hold.isRetired() || !hold.isWanted())) {
            current.stopRenewing();
            if (!hold.isRetired()) {
                actions.add(new Action.Unrenewed(hold, "nobody can use it any more"));
            }
            if (!current.isRequestDue(now)) {
                return;
            }
        }
        boolean capped = current.isCapped();
        Duration request = current.nextRequest(now);
        if (hold != null && !capped && current.isCapped()) {
            actions.add(new Action.Unrenewed(
                    hold,
                    "it reaches its maxHold of "
                            + DurationText.of(hold.options().maxHold())));
        }
        actions.add(new Action.SendRenew(current.lease(), request));
    }

    /** Gives a lease without a holder to the next caller, or back to the store. */
    private void serve() {
        Tenure current = tenure;
        if (current == null || current.hold() != null) {
            return;
        }
        Caller next = waiting.first();
        if (next == null || current.hasServedEnough(settings.localHandOvers(), TURN_NANOS, now)) {
            giveBack(current, vacated, 0);
            return;
        }
        settleVacated();
        if (!current.isDoubted() && !current.isConfirmedBy(clocks)) {
            current.doubt(now);
        }
        if (!current.isReadyFor(next, now)) {
            current.prepareFor(next, now);
            silence.owed(now);
            renew(current);
            return;
        }
        waiting.remove(next);
        waiting.noteContention();
        actions.add(new Action.Give(next, current.give(next, clocks)));
        refuseTrying();
        renew(current);
    }

    /** Has one claim before the store for as long as somebody waits and there is no lease. */
    private void seek() {
        if (tenure != null) {
            return;
        }
        Attempt current = attempt;
        if (current != null && !current.isUnderWay() && (waiting.isEmpty() || current.isForgotten(now))) {
            attempt = null;
            if (current.mayHaveLeftTraces()) {
                undos.withdraw(current.claim().id(), current.mayHaveStragglers(), now, actions);
            }
            current = null;
        }
        Caller first = waiting.first();
        if (first == null || undos.isBlocked()) {
            return;
        }
        if (current == null) {
            int spare = waiting.size() > 1 ? settings.localHandOvers() : 0;
            Claim claim = new Claim(settings.claimIds().get(), lock, first.firstLease(), spare, waiting.isAnyWaiting());
            undos.claimed(claim.lease());
            current = new Attempt(claim, now, settings.random());
            attempt = current;
        }
        if (current.isDue(now)) {
            silence.owed(now);
            actions.add(current.send(now));
        }
    }

    private void heard() {
        settings.contact().make();
        silence.broken(attempt != null && attempt.isUnderWay(), now);
    }

    /** Whether somebody waits for an answer of the store. */
    private boolean isOwed() {
        return attempt != null || undos.isBlocked() || (tenure != null && tenure.isPreparing());
    }

    private boolean mayHaveLeftTraces() {
        Attempt asked = attempt;
        return tenure != null || (asked != null && (asked.isUnderWay() || asked.mayHaveLeftTraces()));
    }

    /**
     * When the queue has to be looked at next if nothing happens.
     *
     * @return on the monotonic clock, or {@link #NEVER}
     */
    public long nextDue() {
        long due = NEVER;
        Tenure current = tenure;
        if (current != null) {
            due = current.nextDue();
        }
        Attempt asked = attempt;
        if (asked != null && (asked.isUnderWay() || !undos.isBlocked())) {
            due = earlier(due, asked.nextLook(settings.longestAnswerNanos()));
        }
        due = earlier(due, patience.nextLook(isOwed(), now));
        return earlier(due, undos.nextLook());
    }

    static long earlier(long one, long other) {
        return one == NEVER || (other != NEVER && other - one < 0) ? other : one;
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.RenewAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A local queue holds the callers of one process that wait for one lock with one share, and the leases that they get. It is
 * a pure state machine: events go in with the time at which they happened, actions come out; there are no sockets, no
 * threads and no clocks in here.
 *
 * <p>Why it is right. The queue has claims before the store and {@link Leases} that the store has granted: together at most
 * one for an exclusive lock, beside those that were made readers'; many for a shared one. A claim that is granted becomes a
 * {@link StoreLease}, which has at most one {@link Hold}. Callers get holds only from store leases, in their
 * order, and the first caller takes the first grant. So two callers of this process never hold an exclusive lock at once,
 * and as many hold a shared one as the store has granted. That processes together keep to that is guaranteed by the store
 * and by the leases' deadlines. Anything else that comes from
 * the store (a grant to a claim that is finished, a second grant, an answer that nobody waits for any more) belongs to
 * nobody and is cleaned up at once. All that has to leave the store is among the {@link PendingCleanups}, repeated until
 * the store has answered or until it cannot be there any more.
 *
 * <p>After each event {@link #settle} looks at all that the event names or that is due: whether a lease is over, whether the next caller can be
 * served, which callers' {@link StoreTimeouts} are over, whether the store must be asked. The handlers of events only write
 * down what is new.
 */
public final class LocalQueue {

    private final QueueState queue;
    private final LongWaits longWaits;

    private boolean closed;
    private boolean callersWaited;
    private EventHandling at = EventHandling.NONE;
    private long lastAt;

    public LocalQueue(String lock, int share, QueueSettings settings) {
        this.queue = new QueueState(lock, share, settings);
        this.longWaits = new LongWaits(queue.waiting);
    }

    /** Returns whether the queue can be dropped without losing anything. */
    public boolean isIdle() {
        return queue.waiting.isEmpty()
                && queue.claims.isEmpty()
                && queue.leases.size() == 0
                && queue.cleanups.isEmpty();
    }

    /**
     * Handles an event.
     *
     * @param event what happened
     * @param when the time of the event, on the client's clocks
     * @return the actions to perform, in this order
     */
    public List<Action> on(Event event, ClockReading when) {
        at = new EventHandling(when);
        handle(event);
        settle();
        List<Action> actions = at.actions();
        lastAt = at.now();
        at = EventHandling.NONE;
        return actions;
    }

    private void handle(Event event) {
        if (event instanceof Event.Join join) {
            join(join.caller());
        } else if (event instanceof Event.Leave leave) {
            queue.waiting.remove(leave.caller());
        } else if (event instanceof Event.WaitOver over) {
            waitOver(over.caller());
        } else if (event instanceof Event.EndHold end) {
            StoreLease named = queue.leases.named(end.hold());
            if (named != null) {
                Watchdog.endHold(queue, named, end.hold(), at);
            }
        } else if (event instanceof Event.Extend extend) {
            Watchdog.extend(queue.leases.named(extend.hold()), extend.hold(), extend.extension(), at);
        } else if (event instanceof Event.Downgrade downgrade) {
            Watchdog.downgrade(queue.leases.named(downgrade.hold()), downgrade.hold(), downgrade.extension(), at);
        } else if (event instanceof Event.BeginAnew anew) {
            Watchdog.beginAnew(queue.leases.named(anew.hold()), anew.hold(), anew.options(), anew.extension(), at);
        } else if (event instanceof Event.Asked asked) {
            queue.leases.nameAll();
            warnOfItself(asked.caller());
        } else if (event instanceof Event.ClaimAnswered answered) {
            claimAnswered(answered.claim(), answered.answer());
        } else if (event instanceof Event.ClaimFailed failed) {
            claimFailed(failed.claim(), failed.failure());
        } else if (event instanceof Event.RenewAnswered answered) {
            renewAnswered(answered);
        } else if (event instanceof Event.RenewFailed failed) {
            queue.outage.failed(failed.failure(), at.now());
        } else if (event instanceof Event.ReleaseAnswered answered) {
            if (queue.cleanups.released(answered.lease(), answered.answer(), at.now(), at.actions())) {
                queue.heard(at.now());
            }
        } else if (event instanceof Event.WithdrawAnswered answered) {
            queue.cleanups.withdrawn(answered.claim(), at.now());
        } else if (event instanceof Event.CleanupFailed failed) {
            queue.outage.failed(failed.failure(), at.now());
            queue.cleanups.failed(failed.claim(), failed.lease(), failed.failure(), at.now(), at.actions());
        } else if (event instanceof Event.GrantSignal signal) {
            grantSignal(signal);
        } else if (event instanceof Event.DoubtSignal doubt) {
            doubtSignal(doubt.atRisk());
        } else if (event instanceof Event.Look) {
            queue.leases.nameAll();
        } else if (event instanceof Event.Close) {
            close();
        } else if (event instanceof Event.Abandon) {
            close();
            for (StoreLease lease : queue.leases.nameAll()) {
                Watchdog.abandon(queue, lease, at);
            }
        }
    }

    // ---- callers -------------------------------------------------------------------------------------------------

    private void join(Caller caller) {
        if (closed) {
            at.add(new Action.Fail(caller, new IllegalStateException("this Leasehold is closed")));
            return;
        }
        boolean busy = isKnownToBeBusy();
        if (caller.tries && busy) {
            at.add(new Action.Refuse(caller));
            return;
        }
        queue.waiting.add(caller, at.now());
        longWaits.joined(caller, at.now());
        if (busy) {
            queue.waiting.noteContention(queue.waiting.lastNumber());
        }
    }

    /** Logs if a caller that waits without limit waits on a thread to which a lease of this lock was given. */
    private void warnOfItself(Caller caller) {
        Hold held = caller.waitsForEver() && !caller.outcome.isDone() ? queue.leases.holdOfThreadOf(caller) : null;
        if (held != null && !held.state(at.clocks()).isFinal()) {
            at.add(new Action.WaitsForItself(held));
        }
    }

    /**
     * Returns whether somebody certainly holds the lock. Other waiters of this process are no proof: perhaps the store does
     * not answer any of them.
     */
    private boolean isKnownToBeBusy() {
        return queue.leases.areFull(queue.share, at.clocks()) || queue.claims(PendingClaim::saysBusy) > 0;
    }

    private void waitOver(Caller caller) {
        if (!queue.waiting.contains(caller)) {
            return;
        }
        if (queue.waiting.knowsContention(caller)) {
            queue.waiting.remove(caller);
            at.add(new Action.Refuse(caller));
            return;
        }
        LockException last = queue.outage.lastFailure();
        if (last != null && StoreOutage.isInVain(last)) {
            queue.waiting.remove(caller);
            at.add(new Action.Fail(caller, last));
        } else {
            queue.waiting.stopWaiting(caller, at.now());
        }
    }

    private void close() {
        closed = true;
        for (Caller caller : queue.waiting.removeAll()) {
            at.add(new Action.Fail(
                    caller,
                    new IllegalStateException("this Leasehold was closed while '" + queue.lock + "' was waited for")));
        }
    }

    /**
     * Gives everything up after a fault, when nobody knows in which state this queue is. Callers fail. The holder learns
     * that its lease is lost. The lease, and everything that was on its way out of the store, is left there as if this
     * process had died.
     *
     * @param failed the event that could not be handled, where it is known
     */
    public List<Action> discard(@Nullable Event failed, @Nullable Throwable fault, ClockReading when) {
        at = new EventHandling(when);
        closed = true;
        StoreUnavailableException why = new StoreUnavailableException(
                "Leasehold has a fault, and gave up what it knew of '" + queue.lock
                        + "' in this process. The lock is not held here any"
                        + " more; what was asked of the store " + queue.settings.store()
                        + " may have been carried out, and runs out"
                        + " there. Nothing else has to be done; please report the cause",
                queue.settings.store(),
                Outcome.UNKNOWN,
                fault);
        queue.waiting.failAll(why, at);
        if (failed instanceof Event.Join join) {
            at.add(new Action.Fail(join.caller(), why));
        } else if (failed instanceof Event.Extend extend) {
            at.add(new Action.AnswerExtension(extend.extension(), why));
        } else if (failed instanceof Event.Downgrade downgrade) {
            at.add(new Action.AnswerExtension(downgrade.extension(), why));
        }
        for (StoreLease lease : queue.leases.all()) {
            Watchdog.discard(queue, lease, why, at);
        }
        queue.leases.clear();
        queue.claims.clear();
        queue.cleanups.giveUpAll(why, at.actions());
        return at.actions();
    }

    // ---- answers of the store ------------------------------------------------------------------------------------

    private @Nullable PendingClaim claim(ClaimId id) {
        for (int i = 0; i < queue.claims.size(); i++) {
            if (queue.claims.get(i).isFor(id)) {
                return queue.claims.get(i);
            }
        }
        return null;
    }

    private void claimAnswered(ClaimId id, ClaimAnswer answer) {
        PendingClaim asked = claim(id);
        if (asked == null) {
            StrayAnswers.answered(queue, id, answer, at);
        } else {
            Claimant.answered(queue, asked, answer, at);
        }
    }

    private void claimFailed(ClaimId id, LockException failure) {
        PendingClaim asked = claim(id);
        if (asked == null) {
            StrayAnswers.failed(queue, id, failure, at);
        } else {
            Claimant.failed(queue, asked, failure, at);
        }
    }

    private void grantSignal(Event.GrantSignal signal) {
        PendingClaim asked = claim(signal.grant().lease().claim());
        if (asked == null) {
            StrayAnswers.granted(queue, signal.grant().lease(), signal.validity(), at);
        } else {
            Claimant.granted(queue, asked, signal, at);
        }
    }

    private void renewAnswered(Event.RenewAnswered answered) {
        StoreLease named = queue.leases.named(answered.lease());
        if (named == null) {
            return;
        }
        if (answered.answer() instanceof RenewAnswer.Renewed) {
            queue.heard(at.now());
        }
        Watchdog.renewAnswered(queue, named, answered, at);
    }

    private void doubtSignal(boolean risk) {
        for (StoreLease lease : queue.leases.nameAll()) {
            Hold hold = lease.hold();
            if (risk && hold != null) {
                hold.risk(at.now());
            }
            lease.doubt(at.now());
        }
        for (PendingClaim claim : queue.claims) {
            claim.askNow(at.now());
        }
    }

    // ---- after each event ----------------------------------------------------------------------------------------

    private void settle() {
        List<StoreLease> leases = queue.leases.toLookAt(at.now());
        for (int i = 0; i < leases.size(); ) {
            StoreLease lease = leases.get(i);
            Watchdog.look(queue, lease, at);
            i = Leases.next(leases, i, lease);
        }
        for (int i = 0; i < queue.claims.size(); i++) {
            queue.claims.get(i).look(queue.settings.longestAnswerNanos(), at.now());
        }
        queue.cleanups.expectNoLonger(at.now());
        serve();
        int before = at.actions().size();
        StoreTimeouts.look(queue, isAnswerExpected(), at);
        if (at.actions().size() > before) { // A lease for a caller who gave up goes to the next one, or back.
            serve();
        }
        await(leases);
        ClaimPlan.seek(queue, at);
        queue.cleanups.look(queue.outage.lastFailure(), at.now(), at.actions());
        longWaits.look(at);
        queue.leases.plan(leases);
    }

    private void serve() {
        List<StoreLease> free = queue.leases.free();
        for (int i = 0; i < free.size(); ) {
            StoreLease lease = free.get(i);
            CallerService.serve(queue, lease, at);
            i = Leases.next(free, i, lease);
        }
    }

    private void await(List<StoreLease> lookedAt) {
        boolean callersWait = !queue.waiting.isEmpty();
        List<StoreLease> told = callersWait == callersWaited ? lookedAt : queue.leases.all();
        for (int i = 0; i < told.size(); i++) {
            Watchdog.await(told.get(i), callersWait, at);
        }
        callersWaited = callersWait;
    }

    /** Says who holds the lock, for people, as far as is known here. */
    public String holder() {
        for (StoreLease lease : queue.leases.all()) {
            Hold own = lease.hold();
            if (own != null) {
                return "this client itself with token " + own.token();
            }
        }
        return HolderText.of(queue.waiting.holder());
    }

    /** Returns whether somebody waits for an answer of the store. */
    private boolean isAnswerExpected() {
        return !queue.claims.isEmpty() || ClaimPlan.isBlocked(queue) || queue.leases.isAnyPreparing();
    }

    /** Returns when the queue has to be woken if nothing happens until then, on the monotonic clock, or {@link DueTimes#NEVER}. */
    public long nextDue() {
        long due = queue.leases.nextDue();
        for (int i = 0; i < queue.claims.size(); i++) {
            due = DueTimes.earlier(due, queue.claims.get(i).nextLook(queue.settings.longestAnswerNanos()));
        }
        due = DueTimes.earlier(due, StoreTimeouts.nextLook(queue, isAnswerExpected(), lastAt));
        long longWait = longWaits.nextLook();
        if (longWait != DueTimes.NEVER && queue.claims.isEmpty()) { // A claim asks again every few seconds anyway.
            due = DueTimes.earlier(due, longWait);
        }
        return DueTimes.earlier(due, queue.cleanups.nextLook());
    }
}

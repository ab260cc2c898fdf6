package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A local queue holds the callers of one process that wait for one lock, and the lease they share. It is a pure state
 * machine: events go in with the time at which they happened, actions come out; there are no sockets, no threads and no
 * clocks in here.
 *
 * <p>Why it is right. At any moment the queue has at most one {@link StoreLease} (a lease granted by the store) or one
 * {@link PendingClaim} (a claim before the store), never both, and a store lease has at most one {@link Hold}. Callers get
 * holds only from the store lease, one after the other and in their order, so two callers of this process never hold at
 * once. That two processes never do is guaranteed by the store and by the lease's deadline. Anything else that comes from
 * the store (a grant to a claim that is finished, a second grant, an answer that nobody waits for any more) belongs to
 * nobody and is cleaned up at once. All that has to leave the store is among the {@link PendingCleanups}, repeated until
 * the store has answered or until it cannot be there any more.
 *
 * <p>After each event {@link #settle} looks at the whole state: whether the lease is over, which callers' {@link
 * StoreTimeouts} are over, whether the next caller can be served, whether the store must be asked. The handlers of events
 * only write down what is new.
 */
public final class LocalQueue {

    /** How long callers of this process are served in a row before the lock goes back to the store. */
    private static final long LONGEST_RUN_NANOS = 10_000_000L;

    /** The due time of a queue that waits for nothing. */
    public static final long NEVER = Long.MAX_VALUE;

    private final String lock;
    private final QueueSettings settings;
    private final WaitingCallers waiting = new WaitingCallers();
    private final PendingCleanups cleanups;
    private final StoreOutage outage = new StoreOutage();
    private final StoreTimeouts timeouts;
    private final Watchdog watchdog;
    private final Claimant claimant;

    private boolean closed;
    private EventHandling at = new EventHandling(new ClockReading(0, 0));

    public LocalQueue(String lock, int share, QueueSettings settings) {
        this.lock = lock;
        this.settings = settings;
        this.cleanups = new PendingCleanups(lock, settings);
        this.timeouts = new StoreTimeouts(lock, settings, waiting, outage);
        this.watchdog = new Watchdog(lock, cleanups, outage);
        this.claimant = new Claimant(lock, share, settings, waiting, outage, cleanups, watchdog);
    }

    /** Returns whether the queue can be dropped without losing anything. */
    public boolean isIdle() {
        return waiting.isEmpty() && watchdog.storeLease() == null && !claimant.hasClaim() && cleanups.isEmpty();
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
        return at.actions();
    }

    private void handle(Event event) {
        if (event instanceof Event.Join join) {
            join(join.caller());
        } else if (event instanceof Event.Leave leave) {
            waiting.remove(leave.caller());
        } else if (event instanceof Event.WaitOver over) {
            waitOver(over.caller());
        } else if (event instanceof Event.EndHold end) {
            watchdog.endHold(end.hold(), at);
        } else if (event instanceof Event.Extend extend) {
            watchdog.extend(extend.hold(), extend.extension(), at);
        } else if (event instanceof Event.ClaimAnswered answered) {
            claimant.answered(answered.claim(), answered.answer(), at);
        } else if (event instanceof Event.ClaimFailed failed) {
            claimant.failed(failed.claim(), failed.failure(), at);
        } else if (event instanceof Event.RenewAnswered answered) {
            renewAnswered(answered.lease(), answered.answer());
        } else if (event instanceof Event.RenewFailed failed) {
            outage.failed(failed.failure(), at.now());
        } else if (event instanceof Event.ReleaseAnswered answered) {
            if (cleanups.released(answered.lease(), answered.answer(), at.now(), at.actions())) {
                claimant.heard(at);
            }
        } else if (event instanceof Event.WithdrawAnswered answered) {
            cleanups.withdrawn(answered.claim(), at.now());
        } else if (event instanceof Event.CleanupFailed failed) {
            outage.failed(failed.failure(), at.now());
            cleanups.failed(failed.claim(), failed.lease(), failed.failure(), at.now(), at.actions());
        } else if (event instanceof Event.GrantSignal signal) {
            claimant.granted(signal, at);
        } else if (event instanceof Event.DoubtSignal) {
            doubtSignal();
        } else if (event instanceof Event.RiskSignal) {
            watchdog.risk(at);
            doubtSignal();
        } else if (event instanceof Event.Close) {
            close();
        } else if (event instanceof Event.Abandon) {
            close();
            watchdog.abandon(at);
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
        waiting.add(caller, at.now());
        Hold held = watchdog.hold();
        if (busy && held != null && caller.waitNanos == 0 && caller.isWaitedForBy(held.waiter())) {
            at.add(new Action.WaitsForItself(held));
        }
        if (busy) {
            waiting.noteContention();
        }
    }

    /**
     * Returns whether somebody certainly holds the lock. Other waiters of this process are no proof: perhaps the store does
     * not answer any of them.
     */
    private boolean isKnownToBeBusy() {
        Hold hold = watchdog.hold();
        if (hold != null) {
            return !hold.state(at.clocks()).isFinal();
        }
        return claimant.saysBusy();
    }

    private void waitOver(Caller caller) {
        if (!waiting.contains(caller)) {
            return;
        }
        if (waiting.knowsContention(caller)) {
            waiting.remove(caller);
            at.add(new Action.Refuse(caller));
            return;
        }
        LockException last = outage.lastFailure();
        if (last != null && StoreOutage.isInVain(last)) {
            waiting.remove(caller);
            at.add(new Action.Fail(caller, last));
        } else {
            waiting.stopWaiting(caller);
        }
    }

    private void close() {
        closed = true;
        for (Caller caller : waiting.removeAll()) {
            at.add(new Action.Fail(
                    caller,
                    new IllegalStateException("this Leasehold was closed while '" + lock + "' was waited for")));
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
                "Leasehold has a fault, and gave up what it knew of '" + lock
                        + "' in this process. The lock is not held here any"
                        + " more; what was asked of the store " + settings.store()
                        + " may have been carried out, and runs out"
                        + " there. Nothing else has to be done; please report the cause",
                settings.store(),
                Outcome.UNKNOWN,
                fault);
        waiting.failAll(why, at);
        if (failed instanceof Event.Join join) {
            at.add(new Action.Fail(join.caller(), why));
        } else if (failed instanceof Event.Extend extend) {
            at.add(new Action.AnswerExtension(extend.extension(), why));
        }
        watchdog.discard(why, at);
        cleanups.giveUpAll(why, at.actions());
        claimant.discard();
        return at.actions();
    }

    // ---- answers of the store ------------------------------------------------------------------------------------

    private void renewAnswered(LeaseId lease, RenewAnswer answer) {
        StoreLease current = watchdog.storeLease();
        if (current != null && current.lease().equals(lease) && answer instanceof RenewAnswer.Renewed) {
            claimant.heard(at);
        }
        watchdog.renewAnswered(lease, answer, at);
    }

    private void doubtSignal() {
        watchdog.doubt(at);
        claimant.askNow(at);
    }

    // ---- after each event ----------------------------------------------------------------------------------------

    private void settle() {
        watchdog.look(at);
        claimant.look(at);
        cleanups.expectNoLonger(at.now());
        timeouts.look(isAnswerExpected(), mayHaveLeftTraces(), at.now(), at.actions());
        serve();
        claimant.seek(at);
        cleanups.look(outage.lastFailure(), at.now(), at.actions());
    }

    /** Gives a lease without a holder to the next caller, or back to the store. */
    private void serve() {
        StoreLease current = watchdog.storeLease();
        if (current == null || current.hold() != null) {
            return;
        }
        Caller next = waiting.first();
        if (next == null || current.hasServedEnough(settings.localHandOvers(), LONGEST_RUN_NANOS, at.now())) {
            watchdog.giveBack(current, at);
            return;
        }
        watchdog.settleEndedHold(at);
        if (!current.isDoubted() && !current.isConfirmedBy(at.clocks())) {
            current.doubt(at.now());
        }
        if (!current.isReadyFor(next, at.now())) {
            current.prepareFor(next, at.now());
            outage.expectAnswer(at.now());
            watchdog.renew(current, at);
            return;
        }
        waiting.remove(next);
        waiting.noteContention();
        at.add(new Action.Give(next, current.give(next, at.clocks())));
        waiting.refuseTrying(at);
        watchdog.renew(current, at);
    }

    /** Returns whether somebody waits for an answer of the store. */
    private boolean isAnswerExpected() {
        return claimant.hasClaim() || cleanups.isBlocked() || watchdog.isPreparing();
    }

    private boolean mayHaveLeftTraces() {
        return watchdog.storeLease() != null || claimant.mayHaveLeftTraces();
    }

    /** Returns when the queue has to be woken if nothing happens until then, on the monotonic clock, or {@link #NEVER}. */
    public long nextDue() {
        long due = NEVER;
        StoreLease current = watchdog.storeLease();
        if (current != null) {
            due = current.nextDue();
        }
        due = earlier(due, claimant.nextLook());
        due = earlier(due, timeouts.nextLook(isAnswerExpected(), at.now()));
        return earlier(due, cleanups.nextLook());
    }

    static long earlier(long one, long other) {
        return one == NEVER || (other != NEVER && other - one < 0) ? other : one;
    }
}

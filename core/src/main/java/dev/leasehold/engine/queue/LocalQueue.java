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
 * <p>Why it is right. The queue has {@link Tracks}: one for an exclusive lock, several for a shared one. At any moment a
 * track has at most one {@link StoreLease} (a lease granted by the store) or one {@link PendingClaim} (a claim before the
 * store), never both, and a store lease has at most one {@link Hold}. Callers get holds only from store leases, in their
 * order, and the first caller takes the first grant. So two callers of this process never hold an exclusive lock at once,
 * and as many hold a shared one as the store has granted. That processes together keep to that is guaranteed by the store
 * and by the leases' deadlines. Anything else that comes from
 * the store (a grant to a claim that is finished, a second grant, an answer that nobody waits for any more) belongs to
 * nobody and is cleaned up at once. All that has to leave the store is among the {@link PendingCleanups}, repeated until
 * the store has answered or until it cannot be there any more.
 *
 * <p>After each event {@link #settle} looks at the whole state: whether the lease is over, whether the next caller can be
 * served, which callers' {@link StoreTimeouts} are over, whether the store must be asked. The handlers of events only write
 * down what is new.
 */
public final class LocalQueue {

    private final String lock;
    private final QueueSettings settings;
    private final WaitingCallers waiting = new WaitingCallers();
    private final PendingCleanups cleanups;
    private final StoreOutage outage = new StoreOutage();
    private final StoreTimeouts timeouts;
    private final int share;
    private final Tracks tracks;
    private final StrayAnswers strayAnswers;
    private final CallerService service;
    private final ClaimPlan claims;
    private final LongWaits longWaits = new LongWaits(waiting);

    private boolean closed;
    private EventHandling at = EventHandling.NONE;
    private long lastAt;

    public LocalQueue(String lock, int share, QueueSettings settings) {
        this.lock = lock;
        this.share = share;
        this.settings = settings;
        this.cleanups = new PendingCleanups(lock, settings);
        this.timeouts = new StoreTimeouts(lock, share, settings, waiting, outage);
        this.tracks = new Tracks(share, this::track);
        this.strayAnswers = new StrayAnswers(tracks, cleanups);
        this.service = new CallerService(share, settings, waiting, outage, tracks);
        this.claims = new ClaimPlan(share, settings, waiting, tracks, cleanups);
        tracks.begin();
    }

    private Track track() {
        Watchdog watchdog = new Watchdog(lock, settings.store(), cleanups, outage);
        return new Track(new Claimant(lock, share, settings, waiting, outage, cleanups, watchdog, tracks), watchdog);
    }

    /** Returns whether the queue can be dropped without losing anything. */
    public boolean isIdle() {
        return waiting.isEmpty() && tracks.areIdle() && cleanups.isEmpty();
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
            waiting.remove(leave.caller());
        } else if (event instanceof Event.WaitOver over) {
            waitOver(over.caller());
        } else if (event instanceof Event.EndHold end) {
            watchdogOf(end.hold()).endHold(end.hold(), at);
        } else if (event instanceof Event.Extend extend) {
            watchdogOf(extend.hold()).extend(extend.hold(), extend.extension(), at);
        } else if (event instanceof Event.Downgrade downgrade) {
            downgrade(downgrade.hold(), downgrade.extension());
        } else if (event instanceof Event.BeginAnew anew) {
            watchdogOf(anew.hold()).beginAnew(anew.hold(), anew.options(), anew.extension(), at);
        } else if (event instanceof Event.Asked asked) {
            warnOfItself(asked.caller());
        } else if (event instanceof Event.ClaimAnswered answered) {
            claimAnswered(answered.claim(), answered.answer());
        } else if (event instanceof Event.ClaimFailed failed) {
            claimFailed(failed.claim(), failed.failure());
        } else if (event instanceof Event.RenewAnswered answered) {
            renewAnswered(answered);
        } else if (event instanceof Event.RenewFailed failed) {
            outage.failed(failed.failure(), at.now());
        } else if (event instanceof Event.ReleaseAnswered answered) {
            if (cleanups.released(answered.lease(), answered.answer(), at.now(), at.actions())) {
                heard();
            }
        } else if (event instanceof Event.WithdrawAnswered answered) {
            cleanups.withdrawn(answered.claim(), at.now());
        } else if (event instanceof Event.CleanupFailed failed) {
            outage.failed(failed.failure(), at.now());
            cleanups.failed(failed.claim(), failed.lease(), failed.failure(), at.now(), at.actions());
        } else if (event instanceof Event.GrantSignal signal) {
            grantSignal(signal);
        } else if (event instanceof Event.DoubtSignal doubt) {
            doubtSignal(doubt.atRisk());
        } else if (event instanceof Event.Close) {
            close();
        } else if (event instanceof Event.Abandon) {
            close();
            for (int i = 0; i < tracks.count(); i++) {
                tracks.get(i).watchdog().abandon(at);
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
        waiting.add(caller, at.now());
        longWaits.joined(caller, at.now());
        if (busy) {
            waiting.noteContention(waiting.lastNumber());
        }
    }

    /** Logs if a caller that waits without limit waits on a thread to which a lease of this lock was given. */
    private void warnOfItself(Caller caller) {
        Hold held = caller.waitsForEver() && !caller.outcome.isDone() ? tracks.holdOfThreadOf(caller) : null;
        if (held != null && !held.state(at.clocks()).isFinal()) {
            at.add(new Action.WaitsForItself(held));
        }
    }

    /**
     * Returns whether somebody certainly holds the lock. Other waiters of this process are no proof: perhaps the store does
     * not answer any of them.
     */
    private boolean isKnownToBeBusy() {
        return tracks.areFull(at.clocks()) || tracks.anySaysBusy();
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
            waiting.stopWaiting(caller, at.now());
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
        } else if (failed instanceof Event.Downgrade downgrade) {
            at.add(new Action.AnswerExtension(downgrade.extension(), why));
        }
        for (int i = 0; i < tracks.count(); i++) {
            tracks.get(i).watchdog().discard(why, at);
            tracks.get(i).claimant().discard();
        }
        cleanups.giveUpAll(why, at.actions());
        return at.actions();
    }

    // ---- answers of the store ------------------------------------------------------------------------------------

    private void claimAnswered(ClaimId claim, ClaimAnswer answer) {
        Track track = tracks.claiming(claim);
        if (track == null) {
            strayAnswers.answered(claim, answer, at);
        } else {
            track.claimant().answered(answer, at);
        }
    }

    private void claimFailed(ClaimId claim, LockException failure) {
        Track track = tracks.claiming(claim);
        if (track == null) {
            strayAnswers.failed(claim, failure, at);
        } else {
            track.claimant().failed(failure, at);
        }
    }

    private void grantSignal(Event.GrantSignal signal) {
        Track track = tracks.claiming(signal.grant().lease().claim());
        if (track == null) {
            strayAnswers.granted(signal.grant().lease(), signal.validity(), at);
        } else {
            track.claimant().granted(signal, at);
        }
    }

    private void renewAnswered(Event.RenewAnswered answered) {
        Track track = tracks.leasing(answered.lease());
        if (track == null) {
            return;
        }
        if (answered.answer() instanceof RenewAnswer.Renewed) {
            heard();
        }
        track.watchdog().renewAnswered(answered, at);
    }

    /** Notes that the store has answered. */
    private void heard() {
        settings.contact().make();
        outage.answered(tracks.claimsUnderWay() > 0, at.now());
    }

    private void doubtSignal(boolean risk) {
        for (int i = 0; i < tracks.count(); i++) {
            if (risk) {
                tracks.get(i).watchdog().risk(at);
            }
            tracks.get(i).watchdog().doubt(at);
            tracks.get(i).claimant().askNow(at);
        }
    }

    // ---- holders -------------------------------------------------------------------------------------------------

    /** Returns the watchdog of a hold; any of them if it is nobody's hold any more, which the watchdog sees. */
    private Watchdog watchdogOf(Hold hold) {
        Track track = tracks.holding(hold);
        if (track != null) {
            return track.watchdog();
        }
        return tracks.count() > 0 ? tracks.get(0).watchdog() : new Watchdog(lock, settings.store(), cleanups, outage);
    }

    private void downgrade(Hold hold, Extension extension) {
        watchdogOf(hold).downgrade(hold, extension, at);
        Track track = tracks.holding(hold);
        StoreLease current = track == null ? null : track.watchdog().storeLease();
        if (track != null && current != null && current.isDowngraded()) {
            tracks.setAside(track);
        }
    }

    // ---- after each event ----------------------------------------------------------------------------------------

    private void settle() {
        for (int i = 0; i < tracks.count(); i++) {
            tracks.get(i).watchdog().look(at);
            tracks.get(i).claimant().look(at);
        }
        cleanups.expectNoLonger(at.now());
        serve();
        int before = at.actions().size();
        timeouts.look(isAnswerExpected(), tracks.anyMayHaveLeftTraces(), at.now(), at.actions());
        if (at.actions().size() > before) { // A lease for a caller who gave up goes to the next one, or back.
            serve();
        }
        for (int i = 0; i < tracks.count(); i++) {
            tracks.get(i).watchdog().await(!waiting.isEmpty(), at);
        }
        claims.seek(at);
        tracks.removeIdle();
        cleanups.look(outage.lastFailure(), at.now(), at.actions());
        longWaits.look(at);
    }

    private void serve() {
        for (int i = 0; i < tracks.count(); i++) {
            service.serve(tracks.get(i).watchdog(), at);
        }
    }

    /** Says who holds the lock, for people, as far as is known here. */
    public String holder() {
        for (int i = 0; i < tracks.count(); i++) {
            Hold own = tracks.get(i).watchdog().hold();
            if (own != null) {
                return "this client itself with token " + own.token();
            }
        }
        return HolderText.of(waiting.holder());
    }

    /** Returns whether somebody waits for an answer of the store. */
    private boolean isAnswerExpected() {
        return tracks.claims() > 0 || claims.areBlocked() || tracks.anyIsPreparing();
    }

    /** Returns when the queue has to be woken if nothing happens until then, on the monotonic clock, or {@link DueTimes#NEVER}. */
    public long nextDue() {
        long due = DueTimes.NEVER;
        for (int i = 0; i < tracks.count(); i++) {
            Track track = tracks.get(i);
            StoreLease current = track.watchdog().storeLease();
            if (current != null) {
                due = DueTimes.earlier(due, current.nextDue());
            }
            due = DueTimes.earlier(due, track.claimant().nextLook());
        }
        due = DueTimes.earlier(due, timeouts.nextLook(isAnswerExpected(), lastAt));
        long longWait = longWaits.nextLook();
        if (longWait != DueTimes.NEVER && tracks.claims() == 0) { // A claim asks again every few seconds anyway.
            due = DueTimes.earlier(due, longWait);
        }
        return DueTimes.earlier(due, cleanups.nextLook());
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog of a track keeps the store's lease, if the track has one, for as long as it is wanted, and declares its loss.
 *
 * <p>There is at most one {@link StoreLease}, with at most one {@link Hold}. A lease ends here in one of three ways. It is
 * given back to the store, once nobody holds anything under it. It is lost, because the store has said so or has not
 * confirmed it in time: then the watchdog notifies the holder, and also releases the lease in the store unless the store
 * itself has reported the loss. Or it is left in the store, because its holder has not given it back and work may go on
 * under it: nobody else may begin before it has run out.
 */
final class Watchdog {

    private static final String CLOSED = "the client was closed while it was held";

    private final String lock;
    private final String store;
    private final PendingCleanups cleanups;
    private final StoreOutage outage;

    private @Nullable StoreLease storeLease;

    /** This is the hold that has ended last, until its lease has been given on or back. */
    private @Nullable Hold endedHold;

    Watchdog(String lock, String store, PendingCleanups cleanups, StoreOutage outage) {
        this.lock = lock;
        this.store = store;
        this.cleanups = cleanups;
        this.outage = outage;
    }

    @Nullable StoreLease storeLease() {
        return storeLease;
    }

    @Nullable Hold hold() {
        return storeLease == null ? null : storeLease.hold();
    }

    /** Returns whether the lease is being renewed for the next caller, which the store has to confirm. */
    boolean isPreparing() {
        return storeLease != null && storeLease.isPreparing();
    }

    /** Begins with a lease that the store has granted; there is none before. */
    void begin(StoreLease granted) {
        storeLease = granted;
    }

    // ---- what the holder does ------------------------------------------------------------------------------------

    void endHold(Hold hold, EventHandling at) {
        StoreLease current = storeLease;
        if (current == null || current.hold() != hold) {
            return;
        }
        if (hold.state(at.clocks()) == LeaseState.LOST) {
            lose(current, "its lease had run out before it was released", outage.lastFailure(), true, at);
            return;
        }
        failExtensions(current, "it was released", at);
        announce(hold, LeaseState.RELEASED, at);
        current.clearHold();
        long keep = hold.keepNanos(at.now());
        boolean doubtful = current.isDoubted() || hold.endedInDoubt() || !current.hasClocksInStep(at.clocks());
        if (keep > 0 || doubtful) {
            giveBack(current, hold, keep, at);
        } else {
            endedHold = hold;
        }
    }

    void extend(Hold hold, Extension extension, EventHandling at) {
        StoreLease current = storeLease;
        if (current == null || current.hold() != hold || hold.state(at.clocks()).isFinal()) {
            at.add(new Action.AnswerExtension(
                    extension,
                    new LeaseLostException(hold.ownName(), hold.token(), "it was over before it could be extended")));
            return;
        }
        current.extend(extension, at.now());
    }

    /** Has the hold count as begun now, with other options. */
    void beginAnew(Hold hold, LockOptions options, @Nullable Extension extension, EventHandling at) {
        StoreLease current = storeLease;
        if (current != null
                && current.hold() == hold
                && !hold.state(at.clocks()).isFinal()) {
            hold.beginAnew(options, at.now());
            current.beginAnew(options);
        }
        if (extension != null) {
            extend(hold, extension, at);
        }
    }

    /** Makes a reader of the holder, and has the store told until it has answered. */
    void downgrade(Hold hold, Extension extension, EventHandling at) {
        StoreLease current = storeLease;
        if (current != null
                && current.hold() == hold
                && !hold.state(at.clocks()).isFinal()) {
            hold.downgrade(extension);
            current.downgrade(at.now());
        }
        extend(hold, extension, at);
    }

    /** Ends the hold of a client that is closed. */
    void abandon(EventHandling at) {
        StoreLease current = storeLease;
        Hold hold = hold();
        if (current == null || hold == null || !hold.abandon(at.clocks())) {
            return;
        }
        at.add(new Action.Abandon(hold, current.nanosInStore(at.now())));
        leave(current, hold, CLOSED, at);
    }

    // ---- what the store says -------------------------------------------------------------------------------------

    void renewAnswered(Event.RenewAnswered answered, EventHandling at) {
        StoreLease current = storeLease;
        if (current == null || !current.lease().equals(answered.lease())) {
            return;
        }
        if (answered.answer() instanceof RenewAnswer.Renewed renewed) {
            Hold hold = current.hold();
            if (hold != null) {
                hold.awaited().noteElsewhere(renewed.awaited());
            }
            long sentAt = renewed.validity().sentAt().nanos();
            confirm(current, renewed.validity(), DueTimes.earlier(answered.askedAt(), sentAt), at);
        } else {
            Hold hold = current.hold();
            boolean early = hold != null && !hold.state(at.clocks()).isFinal();
            String why = early
                    ? " has it no more, although it had not run out: somebody has broken it, or the store has lost it"
                    : " has it no more, since its lease had run out";
            lose(current, "the store " + store + why, null, false, at);
        }
    }

    /** Takes another confirmation of the present lease. */
    void confirm(Validity validity, EventHandling at) {
        StoreLease current = storeLease;
        if (current != null) {
            confirm(current, validity, validity.sentAt().nanos(), at);
        }
    }

    private void confirm(StoreLease current, Validity validity, long askedAt, EventHandling at) {
        Hold hold = current.hold();
        if (current.isOver(at.now()) || (hold != null && hold.state(at.clocks()).isFinal())) {
            return;
        }
        if (!validity.isConfirmedBy(at.clocks())) {
            if (!current.isDoubted()) {
                current.doubt(at.now());
            }
            return;
        }
        for (Extension extension : current.confirm(validity, askedAt)) {
            at.add(new Action.AnswerExtension(extension, null));
        }
    }

    /** Has the store asked, because the lease may be over. */
    void doubt(EventHandling at) {
        StoreLease current = storeLease;
        if (current != null) {
            current.doubt(at.now());
        }
    }

    /** Puts the hold at risk, because the connection or session that its lease depends on has broken. */
    void risk(EventHandling at) {
        Hold hold = hold();
        if (hold != null) {
            hold.risk(at.now());
        }
    }

    // ---- after each event ----------------------------------------------------------------------------------------

    /** Checks whether the lease is over, at risk, in doubt, or to be renewed. */
    void look(EventHandling at) {
        StoreLease current = storeLease;
        if (current == null) {
            return;
        }
        Hold hold = current.hold();
        if (hold != null && hold.state(at.clocks()) == LeaseState.RELEASED) {
            endHold(hold, at);
            if (storeLease == null) {
                return;
            }
            hold = null;
        }
        if (hold != null) {
            LeaseState state = hold.state(at.clocks());
            if (hold.wasLostInDoubt()) {
                leave(current, hold, "it was in doubt for too long", at);
                return;
            }
            if (state == LeaseState.LOST) {
                String why = current.hasNotAsked(at.now())
                        ? "this process did not ask for more time before its lease ran out: it was paused, or short of processor time"
                        : "the store " + store + " has not confirmed it before its lease ran out";
                lose(current, why, outage.lastFailure(), true, at);
                return;
            }
            announce(hold, state, at);
            if (state == LeaseState.UNCONFIRMED && !current.isDoubted()) {
                current.doubt(at.now());
            }
        } else if (current.isOver(at.now())) {
            lose(current, "", null, true, at);
            return;
        }
        renew(current, at);
    }

    void renew(StoreLease current, EventHandling at) {
        if (!current.isRequestDue(at.now())) {
            return;
        }
        Hold hold = current.hold();
        if (hold != null && current.isRenewing() && (hold.isRetired() || !hold.isWanted())) {
            current.stopRenewing();
            if (!hold.isRetired()) {
                at.add(new Action.Unrenewed(hold, "nobody can use it any more"));
            }
            if (!current.isRequestDue(at.now())) {
                return;
            }
        }
        boolean capped = current.isCapped();
        Duration request = current.nextRequest(at.now());
        if (hold != null && !capped && current.isCapped()) {
            at.add(new Action.Unrenewed(
                    hold,
                    "it reaches its maxHold of "
                            + DurationText.of(hold.options().maxHold())));
        }
        at.add(
                current.isDowngrading()
                        ? new Action.SendDowngrade(current.lease(), request, hold)
                        : new Action.SendRenew(current.lease(), request, hold));
    }

    /** Notes whether callers of this process wait for the lock while it is held. */
    void await(boolean callersWait, EventHandling at) {
        Hold hold = hold();
        if (hold != null && hold.awaited().note(callersWait)) {
            at.add(new Action.Await(hold));
        }
    }

    // ---- how a lease ends ----------------------------------------------------------------------------------------

    /** Gives a lease without a holder back to the store. */
    void giveBack(StoreLease back, EventHandling at) {
        giveBack(back, endedHold, 0, at);
    }

    /** Gives the lease back on behalf of the hold that has just ended, if there is one. */
    private void giveBack(StoreLease back, @Nullable Hold hold, long keepNanos, EventHandling at) {
        storeLease = null;
        endedHold = null;
        outage.expectAnswer(at.now());
        cleanups.giveBack(back, hold, keepNanos, at.now(), at.actions());
    }

    /** Settles the hold that has ended; the lease goes on without it. */
    void settleEndedHold(EventHandling at) {
        Hold ended = endedHold;
        if (ended != null) {
            at.add(new Action.Settle(ended, LeaseState.RELEASED, null));
            endedHold = null;
        }
    }

    /**
     * Ends a lease against its holder's will. Where the store has not reported the loss itself, the lease is released
     * there, just in case.
     */
    private void lose(
            StoreLease lost, String why, @Nullable LockException failure, boolean tellStore, EventHandling at) {
        Hold hold = lost.hold();
        if (hold != null) {
            hold.lose(new Loss(why, failure));
            announce(hold, LeaseState.LOST, at);
            failExtensions(lost, why, at);
            at.add(new Action.Settle(hold, LeaseState.LOST, null));
        }
        settleEndedHold(at);
        storeLease = null;
        if (tellStore || lost.mayHaveStragglers()) {
            long keep = hold == null ? 0 : hold.keepNanos(at.now());
            cleanups.release(
                    lost.lease(), keep, lost.mayHaveStragglers(), lost.nanosInStore(at.now()), at.now(), at.actions());
        }
    }

    /**
     * Gives up a lease that its holder has not given back. Work may go on under it until its holder has learned of the
     * loss, so nobody else may begin. The lease is left in the store, where it runs out as if this process had died;
     * late answers to its claim do not touch it.
     */
    private void leave(StoreLease left, Hold hold, String why, EventHandling at) {
        hold.loss = new Loss(why, outage.lastFailure());
        announce(hold, LeaseState.LOST, at);
        failExtensions(left, why, at);
        at.add(new Action.Settle(hold, LeaseState.LOST, null));
        cleanups.leave(left, at.now());
        storeLease = null;
    }

    /** Gives everything up after a fault, as if this process had died. */
    void discard(LockException why, EventHandling at) {
        Hold hold = storeLease == null ? endedHold : storeLease.hold();
        if (hold != null && hold.state(at.clocks()) != LeaseState.RELEASED) {
            hold.lose(new Loss("this process has given it up after a fault", why));
            announce(hold, LeaseState.LOST, at);
            at.add(new Action.Settle(hold, LeaseState.LOST, null));
            if (storeLease != null) {
                cleanups.leave(storeLease, at.now());
            }
        } else if (hold != null) {
            at.add(new Action.Settle(hold, LeaseState.RELEASED, why));
        }
        if (storeLease != null) {
            failExtensions(storeLease, "this process has given it up after a fault", at);
        }
        storeLease = null;
    }

    private void failExtensions(StoreLease of, String why, EventHandling at) {
        Hold hold = of.hold();
        for (Extension extension : of.extensions()) {
            at.add(new Action.AnswerExtension(
                    extension,
                    new LeaseLostException(
                            hold == null ? lock : hold.ownName(), hold == null ? 0 : hold.token(), why)));
        }
        of.extensions().clear();
    }

    private static void announce(Hold hold, LeaseState state, EventHandling at) {
        if (hold.announce(state)) {
            at.add(new Action.Announce(hold, state));
        }
    }
}

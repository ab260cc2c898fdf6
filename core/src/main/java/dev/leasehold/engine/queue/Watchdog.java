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
 * The watchdog keeps each lease that the store has granted for as long as it is wanted, and declares its loss.
 *
 * <p>A lease ends here in one of three ways. It is given back to the store, once nobody holds anything under it. It is lost,
 * because the store has said so or has not confirmed it in time: then the watchdog notifies the holder, and also releases
 * the lease in the store unless the store itself has reported the loss. Or it is left in the store, because its holder has not given it back and work may go on
 * under it: nobody else may begin before it has run out.
 */
final class Watchdog {

    private static final String CLOSED = "the client was closed while it was held";

    private Watchdog() {}

    // ---- what the holder does ------------------------------------------------------------------------------------

    static void endHold(QueueState queue, StoreLease current, Hold hold, EventHandling at) {
        if (hold.state(at.clocks()) == LeaseState.LOST) {
            lose(queue, current, "its lease had run out before it was released", queue.outage.lastFailure(), true, at);
            return;
        }
        failExtensions(queue, current, "it was released", at);
        announce(hold, LeaseState.RELEASED, at);
        current.clearHold();
        queue.leases.freed(current);
        long keep = hold.keepNanos(at.now());
        boolean doubtful = current.isDoubted() || hold.endedInDoubt() || !current.hasClocksInStep(at.clocks());
        if (keep > 0 || doubtful) {
            giveBack(queue, current, hold, keep, at);
        } else {
            current.endedHold = hold;
        }
    }

    static void extend(@Nullable StoreLease current, Hold hold, Extension extension, EventHandling at) {
        if (current == null || hold.state(at.clocks()).isFinal()) {
            at.add(new Action.AnswerExtension(
                    extension,
                    new LeaseLostException(hold.ownName(), hold.token(), "it was over before it could be extended")));
            return;
        }
        current.extend(extension, at.now());
    }

    /** Has the hold count as begun now, with other options. */
    static void beginAnew(
            @Nullable StoreLease current,
            Hold hold,
            LockOptions options,
            @Nullable Extension extension,
            EventHandling at) {
        if (current != null && !hold.state(at.clocks()).isFinal()) {
            hold.beginAnew(options, at.now());
            current.beginAnew(options);
        }
        if (extension != null) {
            extend(current, hold, extension, at);
        }
    }

    /** Makes a reader of the holder, and has the store told until it has answered. */
    static void downgrade(@Nullable StoreLease current, Hold hold, Extension extension, EventHandling at) {
        if (current != null && !hold.state(at.clocks()).isFinal()) {
            hold.downgrade(extension);
            current.downgrade(at.now());
        }
        extend(current, hold, extension, at);
    }

    /** Ends the hold of a client that is closed. */
    static void abandon(QueueState queue, StoreLease current, EventHandling at) {
        Hold hold = current.hold();
        if (hold == null || !hold.abandon(at.clocks())) {
            return;
        }
        at.add(new Action.Abandon(hold, current.nanosInStore(at.now())));
        leave(queue, current, hold, CLOSED, at);
    }

    // ---- what the store says -------------------------------------------------------------------------------------

    static void renewAnswered(QueueState queue, StoreLease current, Event.RenewAnswered answered, EventHandling at) {
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
            lose(queue, current, "the store " + queue.settings.store() + why, null, false, at);
        }
    }

    /**
     * Takes a confirmation of the lease.
     *
     * @param askedAt when the store was asked for it, which may have been before the request was sent
     */
    static void confirm(StoreLease current, Validity validity, long askedAt, EventHandling at) {
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

    // ---- after each event ----------------------------------------------------------------------------------------

    /** Checks whether the lease is over, at risk, in doubt, or to be renewed. */
    static void look(QueueState queue, StoreLease current, EventHandling at) {
        Hold hold = current.hold();
        if (hold != null && hold.state(at.clocks()) == LeaseState.RELEASED) {
            endHold(queue, current, hold, at);
            if (current.ended) {
                return;
            }
            hold = null;
        }
        if (hold != null) {
            LeaseState state = hold.state(at.clocks());
            if (hold.wasLostInDoubt()) {
                leave(queue, current, hold, "it was in doubt for too long", at);
                return;
            }
            if (state == LeaseState.LOST) {
                String why = current.hasNotAsked(at.now())
                        ? "this process did not ask for more time before its lease ran out: it was paused, or short of processor time"
                        : "the store " + queue.settings.store() + " has not confirmed it before its lease ran out";
                lose(queue, current, why, queue.outage.lastFailure(), true, at);
                return;
            }
            announce(hold, state, at);
            if (state == LeaseState.UNCONFIRMED && !current.isDoubted()) {
                current.doubt(at.now());
            }
        } else if (current.isOver(at.now())) {
            lose(queue, current, "", null, true, at);
            return;
        }
        renew(current, at);
    }

    static void renew(StoreLease current, EventHandling at) {
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
    static void await(StoreLease current, boolean callersWait, EventHandling at) {
        Hold hold = current.hold();
        if (hold != null && !current.ended && hold.awaited().note(callersWait)) {
            at.add(new Action.Await(hold));
        }
    }

    // ---- how a lease ends ----------------------------------------------------------------------------------------

    /** Gives a lease without a holder back to the store. */
    static void giveBack(QueueState queue, StoreLease back, EventHandling at) {
        giveBack(queue, back, back.endedHold, 0, at);
    }

    /** Gives the lease back on behalf of the hold that has just ended, if there is one. */
    private static void giveBack(
            QueueState queue, StoreLease back, @Nullable Hold hold, long keepNanos, EventHandling at) {
        queue.leases.remove(back);
        queue.outage.expectAnswer(at.now());
        queue.cleanups.giveBack(back, hold, keepNanos, at.now(), at.actions());
    }

    /** Settles the hold that has ended; the lease goes on without it. */
    static void settleEndedHold(StoreLease lease, EventHandling at) {
        Hold ended = lease.endedHold;
        if (ended != null) {
            at.add(new Action.Settle(ended, LeaseState.RELEASED, null));
            lease.endedHold = null;
        }
    }

    /**
     * Ends a lease against its holder's will. Where the store has not reported the loss itself, the lease is released
     * there, just in case.
     */
    private static void lose(
            QueueState queue,
            StoreLease lost,
            String why,
            @Nullable LockException failure,
            boolean tellStore,
            EventHandling at) {
        Hold hold = lost.hold();
        if (hold != null) {
            hold.lose(new Loss(why, failure));
            announce(hold, LeaseState.LOST, at);
            failExtensions(queue, lost, why, at);
            at.add(new Action.Settle(hold, LeaseState.LOST, null));
        }
        settleEndedHold(lost, at);
        queue.leases.remove(lost);
        if (tellStore || lost.mayHaveStragglers()) {
            long keep = hold == null ? 0 : hold.keepNanos(at.now());
            queue.cleanups.release(
                    lost.lease(), keep, lost.mayHaveStragglers(), lost.nanosInStore(at.now()), at.now(), at.actions());
        }
    }

    /**
     * Gives up a lease that its holder has not given back. Work may go on under it until its holder has learned of the
     * loss, so nobody else may begin. The lease is left in the store, where it runs out as if this process had died;
     * late answers to its claim do not touch it.
     */
    private static void leave(QueueState queue, StoreLease left, Hold hold, String why, EventHandling at) {
        hold.loss = new Loss(why, queue.outage.lastFailure());
        announce(hold, LeaseState.LOST, at);
        failExtensions(queue, left, why, at);
        at.add(new Action.Settle(hold, LeaseState.LOST, null));
        queue.cleanups.leave(left, at.now());
        queue.leases.remove(left);
    }

    /** Gives everything up after a fault, as if this process had died. */
    static void discard(QueueState queue, StoreLease lease, LockException why, EventHandling at) {
        Hold hold = lease.hold() == null ? lease.endedHold : lease.hold();
        if (hold != null && hold.state(at.clocks()) != LeaseState.RELEASED) {
            hold.lose(new Loss("this process has given it up after a fault", why));
            announce(hold, LeaseState.LOST, at);
            at.add(new Action.Settle(hold, LeaseState.LOST, null));
            queue.cleanups.leave(lease, at.now());
        } else if (hold != null) {
            at.add(new Action.Settle(hold, LeaseState.RELEASED, why));
        }
        failExtensions(queue, lease, "this process has given it up after a fault", at);
    }

    private static void failExtensions(QueueState queue, StoreLease of, String why, EventHandling at) {
        Hold hold = of.hold();
        for (Extension extension : of.extensions()) {
            at.add(new Action.AnswerExtension(
                    extension,
                    new LeaseLostException(
                            hold == null ? queue.lock : hold.ownName(), hold == null ? 0 : hold.token(), why)));
        }
    }

    private static void announce(Hold hold, LeaseState state, EventHandling at) {
        if (hold.announce(state)) {
            at.add(new Action.Announce(hold, state));
        }
    }
}

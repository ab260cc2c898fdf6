package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;

/**
 * The caller service serves waiting callers: a lease of the store that has no holder is given to the next caller, or back to
 * the store where nobody waits or callers of this process have been served for long enough.
 */
final class CallerService {

    /** Callers of this process are served in a row for this long at most before the lock goes back to the store. */
    private static final long LONGEST_RUN_NANOS = 10_000_000L;

    private final int share;
    private final QueueSettings settings;
    private final WaitingCallers waiting;
    private final StoreOutage outage;
    private final Tracks tracks;

    CallerService(int share, QueueSettings settings, WaitingCallers waiting, StoreOutage outage, Tracks tracks) {
        this.share = share;
        this.settings = settings;
        this.waiting = waiting;
        this.outage = outage;
        this.tracks = tracks;
    }

    void serve(Watchdog watchdog, EventHandling at) {
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
        waiting.served(next);
        boolean handedOver = current.hasServed();
        Hold hold = current.give(next, at.clocks());
        boolean full = share == Claim.EXCLUSIVE || tracks.areFull(at.clocks());
        if (full) {
            waiting.noteContention(waiting.lastNumber());
            waiting.noteHolder(null);
        }
        at.add(new Action.Give(next, hold, handedOver));
        if (full) {
            waiting.refuseTrying(0, waiting.lastNumber(), at);
        }
        watchdog.renew(current, at);
    }
}

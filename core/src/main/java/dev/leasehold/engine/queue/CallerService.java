package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;

/**
 * The caller service serves waiting callers: a lease of the store that has no holder is given to the next caller, or back to
 * the store where nobody waits or callers of this process have been served for long enough.
 */
final class CallerService {

    /** Callers of this process are served in a row for this long at most before the lock goes back to the store. */
    private static final long LONGEST_RUN_NANOS = 10_000_000L;

    private CallerService() {}

    /** Serves with a lease that nobody holds. */
    static void serve(QueueState queue, StoreLease current, EventHandling at) {
        Caller next = queue.waiting.first();
        if (next == null || current.hasServedEnough(queue.settings.localHandOvers(), LONGEST_RUN_NANOS, at.now())) {
            Watchdog.giveBack(queue, current, at);
            return;
        }
        Watchdog.settleEndedHold(current, at);
        if (!current.isDoubted() && !current.isConfirmedBy(at.clocks())) {
            current.doubt(at.now());
        }
        if (!current.isReadyFor(next, at.now())) {
            current.prepareFor(next, at.now());
            queue.outage.expectAnswer(at.now());
            Watchdog.renew(current, at);
            return;
        }
        queue.waiting.served(next);
        boolean handedOver = current.hasServed();
        Hold hold = current.give(next, at.clocks());
        queue.leases.held(current);
        boolean full = queue.share == Claim.EXCLUSIVE || queue.leases.areFull(queue.share, at.clocks());
        if (full) {
            queue.waiting.noteContention(queue.waiting.lastNumber());
            queue.waiting.noteHolder(null);
        }
        at.add(new Action.Give(next, hold, handedOver));
        if (full) {
            queue.waiting.refuseTrying(0, queue.waiting.lastNumber(), at);
        }
        Watchdog.renew(current, at);
    }
}

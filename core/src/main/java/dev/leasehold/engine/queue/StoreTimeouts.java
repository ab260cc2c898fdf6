package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The store timeouts say how long the callers that wait for a lock tolerate a store that does not answer, counted from when
 * they joined or from when the outage began, whichever was later. A caller that still waits for the holder has the client's
 * store timeout. One that wants to know at once, or whose limit is over, has one second: an outage must not keep a
 * service's threads for longer than they wanted to wait. Before the {@link FirstContact} all have the store timeout. If the
 * store has said when it will serve again, callers that would have waited that long for the holder anyway get their time
 * from that moment on.
 *
 * <p>A shared lock has several claims before the store, and others may be answered while one is not. So there a caller that
 * wants to know at once counts from when it began to want that, whatever the store answers to others meanwhile.
 */
final class StoreTimeouts {

    private static final long LEAST_NANOS = 1_000_000_000L;

    private StoreTimeouts() {}

    /**
     * Fails the callers whose time is over.
     *
     * @param expected whether an answer is waited for
     */
    static void look(QueueState queue, boolean expected, EventHandling at) {
        long now = at.now();
        if (countsTries(queue)) {
            fail(queue, caller -> caller.tries && now - endOfTry(queue, caller) >= 0, caller -> caller.triesSince, at);
        }
        long since = queue.outage.since(expected);
        if (since == DueTimes.NEVER || earliest(queue, since) - now > 0) {
            return;
        }
        fail(queue, caller -> now - end(queue, caller, since) >= 0, caller -> later(caller.joinedAt, since), at);
    }

    private static void fail(
            QueueState queue, Predicate<Caller> which, ToLongFunction<Caller> since, EventHandling at) {
        for (Caller caller : queue.waiting.removeIf(which)) {
            Duration waited = Duration.ofNanos(at.now() - since.applyAsLong(caller));
            at.add(new Action.Fail(caller, unavailable(queue, waited)));
        }
    }

    private static boolean countsTries(QueueState queue) {
        return queue.share != Claim.EXCLUSIVE && queue.waiting.isAnyTrying();
    }

    private static long endOfTry(QueueState queue, Caller caller) {
        long most = queue.settings.storeTimeout().toNanos();
        return caller.triesSince + (queue.settings.contact().isMade() ? Math.min(most, LEAST_NANOS) : most);
    }

    /** Returns when to look next; {@link DueTimes#NEVER} if nobody waits, or if no answer is missing. */
    static long nextLook(QueueState queue, boolean expected, long now) {
        long due = endOfOutage(queue, expected, now);
        if (countsTries(queue)) {
            Caller first = queue.waiting.least(
                    Comparator.comparingLong(caller -> caller.tries ? endOfTry(queue, caller) - now : Long.MAX_VALUE));
            due = first == null ? due : DueTimes.earlier(due, endOfTry(queue, first));
        }
        return due;
    }

    private static long endOfOutage(QueueState queue, boolean expected, long now) {
        long since = queue.outage.since(expected);
        if (since == DueTimes.NEVER || queue.waiting.isEmpty()) {
            return DueTimes.NEVER;
        }
        if (earliest(queue, since) - now > 0) {
            return earliest(queue, since);
        }
        Caller first = queue.waiting.least(Comparator.comparingLong(caller -> end(queue, caller, since) - now));
        return first == null ? DueTimes.NEVER : end(queue, first, since);
    }

    /** Returns a time before which no caller's time ends, so that the callers are looked through only during an outage. */
    private static long earliest(QueueState queue, long since) {
        return since + Math.min(LEAST_NANOS, queue.settings.storeTimeout().toNanos());
    }

    private static long end(QueueState queue, Caller caller, long since) {
        long from = later(caller.joinedAt, since);
        long backAt = queue.outage.backAt();
        boolean waitsForIt =
                backAt != DueTimes.NEVER && backAt - (caller.joinedAt + caller.waitNanos) <= 0 && backAt - from > 0;
        long begins = waitsForIt ? backAt : from;
        long most = queue.settings.storeTimeout().toNanos();
        return begins + (caller.tries && queue.settings.contact().isMade() ? Math.min(most, LEAST_NANOS) : most);
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    private static StoreUnavailableException unavailable(QueueState queue, Duration waited) {
        LockException failure = queue.outage.lastFailure();
        StoreUnavailableException known = failure instanceof StoreUnavailableException one ? one : null;
        return new StoreUnavailableException(
                "the store " + queue.settings.store() + " did not answer for " + DurationText.of(waited)
                        + " while the lock '" + queue.lock
                        + "' was waited for; the lock is not held, and what the claim may "
                        + "have left in the store is being withdrawn. "
                        + (failure == null
                                ? "Check that the store is reachable"
                                : "The last failure was: " + failure.getMessage()),
                known == null ? queue.settings.store() : known.node(),
                queue.mayHaveLeftTraces() ? Outcome.UNKNOWN : Outcome.NOT_CARRIED_OUT,
                known == null ? List.of() : known.nodes(),
                known == null ? null : known.backIn(),
                failure);
    }
}

package dev.leasehold.engine;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * For how long those who wait for a lock put up with the store's silence: the store's time-out, counted from when they joined
 * or from when the silence began, whichever was later. A store that has said when it will serve again has until then, and
 * the time-out from there, with whoever would have waited that long for the holder anyway.
 */
final class Patience {

    private final String lock;
    private final QueueSettings settings;
    private final WaitingCallers waiting;
    private final StoreSilence silence;

    Patience(String lock, QueueSettings settings, WaitingCallers waiting, StoreSilence silence) {
        this.lock = lock;
        this.settings = settings;
        this.waiting = waiting;
        this.silence = silence;
    }

    /**
     * Fails those whose patience is over.
     *
     * @param owed whether an answer is waited for
     * @param traces whether the store may have something of ours
     */
    void look(boolean owed, boolean traces, long now, List<Action> actions) {
        long since = silence.began(owed);
        if (since == LocalQueue.NEVER) {
            return;
        }
        for (Caller caller = least(since, now);
                caller != null && now - end(caller, since) >= 0;
                caller = least(since, now)) {
            waiting.remove(caller);
            actions.add(new Action.Fail(caller, unavailable(traces)));
        }
    }

    /**
     * When to look next.
     *
     * @return {@link LocalQueue#NEVER} if nobody waits, or for nothing
     */
    long nextLook(boolean owed, long now) {
        long since = silence.began(owed);
        Caller first = since == LocalQueue.NEVER ? null : least(since, now);
        return first == null ? LocalQueue.NEVER : end(first, since);
    }

    /** Whose patience ends first: that of the longest waiting, unless the store has said when it will serve again. */
    private @Nullable Caller least(long since, long now) {
        return silence.backAt() == LocalQueue.NEVER
                ? waiting.first()
                : waiting.least(Comparator.comparingLong(caller -> end(caller, since) - now));
    }

    private long end(Caller caller, long since) {
        long from = caller.joinedAt - since > 0 ? caller.joinedAt : since;
        long backAt = silence.backAt();
        boolean waitsForIt =
                backAt != LocalQueue.NEVER && backAt - (caller.joinedAt + caller.waitNanos) <= 0 && backAt - from > 0;
        return (waitsForIt ? backAt : from) + settings.storeTimeout().toNanos();
    }

    private StoreUnavailableException unavailable(boolean traces) {
        LockException failure = silence.lastFailure();
        StoreUnavailableException known = failure instanceof StoreUnavailableException one ? one : null;
        return new StoreUnavailableException(
                "the store " + settings.store() + " did not answer for " + settings.storeTimeout()
                        + " while the lock '" + lock + "' was waited for; the lock is not held, and what the claim may "
                        + "have left in the store is being withdrawn. Check that the store is reachable"
                        + (failure == null ? "" : ": " + failure.getMessage()),
                known == null ? settings.store() : known.node(),
                traces ? Outcome.UNKNOWN : Outcome.NOT_ACQUIRED,
                known == null ? List.of() : known.nodes(),
                known == null ? null : known.backIn(),
                failure);
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.Causes;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A store outage is how one local queue sees it: since when the queue has had no answer at all, or only grants that were
 * over when they came.
 */
final class StoreOutage {

    private boolean unanswered;
    private long unansweredSince;
    private int late;
    private long lateSince;
    private @Nullable LockException lastFailure;
    private long lastFailedAt;

    /** Notes that somebody waits for an answer from now on. */
    void expectAnswer(long now) {
        if (!unanswered) {
            unanswered = true;
            unansweredSince = now;
        }
    }

    /** Notes that the store has answered; perhaps another answer is still expected. */
    void answered(boolean stillExpected, long now) {
        unanswered = stillExpected;
        unansweredSince = now;
        lastFailure = null;
    }

    void failed(LockException failure, long now) {
        lastFailure = failure;
        lastFailedAt = now;
    }

    /** Returns when the store will serve again by itself; {@link DueTimes#NEVER} if it has not said so. */
    long backAt() {
        Duration backIn = lastFailure instanceof StoreUnavailableException known ? known.backIn() : null;
        return backIn == null ? DueTimes.NEVER : lastFailedAt + backIn.toNanos();
    }

    /** Notes that a grant that was asked for at a given time came too late to be used. */
    void late(long askedAt, LockException failure) {
        lastFailure = failure;
        if (late++ == 0) {
            lateSince = askedAt;
        }
    }

    void inTime() {
        late = 0;
    }

    /** Returns how many grants in a row came too late to be used. */
    int lateGrants() {
        return late;
    }

    /**
     * Returns when the outage began.
     *
     * @param matters whether an answer is still waited for
     * @return {@link DueTimes#NEVER} if there is none
     */
    long since(boolean matters) {
        if (late > 0) {
            return lateSince;
        }
        return unanswered && matters ? unansweredSince : DueTimes.NEVER;
    }

    @Nullable LockException lastFailure() {
        return lastFailure;
    }

    /** Returns whether the store was found to be down, or nothing listens there: asking again at once is in vain. */
    static boolean isInVain(LockException failure) {
        if (!(failure instanceof StoreUnavailableException known)) {
            return false;
        }
        if (known.isStoreDown()) {
            return true;
        }
        return known.outcome() == Outcome.NOT_CARRIED_OUT
                && Causes.has(known.getCause(), ConnectException.class, UnknownHostException.class);
    }
}

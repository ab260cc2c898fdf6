package dev.leasehold.engine.queue;

import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A pending claim is the claim that a local queue has before the store: it was sent, perhaps stands in the store's queue,
 * and is sent again.
 */
final class PendingClaim {

    private static final long FIRST_RETRY_NANOS = 20_000_000L;
    private static final int MOST_DOUBLINGS = 4;
    private static final long AFTER_EXPIRY_NANOS = 1_000_000L;
    private static final long LEAST_PAUSE_NANOS = 5_000_000L;

    private final Claim claim;
    private final RandomGenerator random;
    private final long forCallersTo;

    private int place = Claim.NEW;

    private boolean underWay;
    private int questions;
    private boolean askAgain;
    private boolean mayStandInQueue;
    private boolean uncertain;
    private boolean everUncertain;
    private boolean lastAnswerBusy;
    private long lastAnswerAt;
    private long sentAt;
    private long nextAt;
    private int failures;

    /**
     * Makes a claim that is due at once.
     *
     * @param forCallersTo the number of the last caller that had joined when it began
     */
    PendingClaim(Claim claim, long forCallersTo, long now, RandomGenerator random) {
        this.claim = claim;
        this.forCallersTo = forCallersTo;
        this.random = random;
        this.lastAnswerAt = now;
        this.sentAt = now;
        this.nextAt = now;
    }

    Claim claim() {
        return claim;
    }

    /**
     * Returns the number of the last caller to whom a busy answer applies. For those who join later the lock may have been
     * released since the question; but not past a claim that stands in the store's queue.
     */
    long busyForCallersTo() {
        return claim.enqueue() ? Long.MAX_VALUE : forCallersTo;
    }

    boolean isFor(ClaimId id) {
        return claim.id().equals(id);
    }

    /** Returns whether it stands in the store's queue, or will if the lock is taken. */
    boolean isQueued() {
        return claim.enqueue();
    }

    /** Returns whether an answer is under way. */
    boolean isUnderWay() {
        return underWay;
    }

    boolean isDue(long now) {
        return !underWay && now - nextAt >= 0;
    }

    long sentAt() {
        return sentAt;
    }

    /** Counts a request as lost when the store has taken so long over it that no answer can be expected. */
    void look(long limit, long now) {
        if (underWay && now - sentAt >= limit) {
            failed(true, now);
        }
    }

    /** Returns when to look at the claim next: when it is to be sent, or when its answer can no longer be expected. */
    long nextLook(long limit) {
        return underWay ? sentAt + limit : nextAt;
    }

    /** Returns whether the store has said that the lock is busy, and has not failed to answer since. */
    boolean saysBusy() {
        return lastAnswerBusy;
    }

    /** Returns whether anything of it may be left in the store. */
    boolean mayHaveLeftTraces() {
        return uncertain || mayStandInQueue;
    }

    /** Returns whether a request was given up that may still be on its way. */
    boolean mayHaveStragglers() {
        return everUncertain;
    }

    /**
     * Returns whether a request of it may be carried out after its grant. If it was asked once, that has been carried out before, since
     * the store knew of the claim.
     */
    boolean mayHaveLateRequests() {
        return everUncertain || (underWay && questions > 1);
    }

    /** Returns whether so much time has passed since the last answer that the store may have passed the claim over. */
    boolean isForgotten(long now) {
        return !underWay
                && mayHaveLeftTraces()
                && now - lastAnswerAt >= WaitingRules.aliveFor(claim.lease()).toNanos();
    }

    Action send(long now) {
        underWay = true;
        questions++;
        askAgain = false;
        sentAt = now;
        Action sending = new Action.SendClaim(claim.at(place));
        place = Math.max(Claim.UNKNOWN, place);
        return sending;
    }

    /** Asks at once, or as soon as the request under way is answered. */
    void askNow(long now) {
        askAgain = true;
        nextAt = now;
    }

    void answered() {
        underWay = false;
    }

    void busy(ClaimAnswer.Busy answer, long now) {
        underWay = false;
        failures = 0;
        lastAnswerAt = sentAt;
        mayStandInQueue = claim.enqueue();
        uncertain = false;
        lastAnswerBusy = true;
        place = answer.place();
        long pause = (long) (WaitingRules.askEvery(claim.lease()).toNanos() * (0.75 + random.nextDouble() * 0.2));
        Duration timeLeft = answer.timeLeft();
        if (timeLeft != null && answer.place() <= 1 && timeLeft.compareTo(LockOptions.FOREVER) < 0) {
            pause = Math.min(pause, timeLeft.toNanos() + AFTER_EXPIRY_NANOS);
        }
        nextAt = askAgain ? now : now + Math.max(pause, LEAST_PAUSE_NANOS);
    }

    void failed(boolean mayHaveBeenCarriedOut, long now) {
        underWay = false;
        uncertain |= mayHaveBeenCarriedOut;
        everUncertain |= mayHaveBeenCarriedOut;
        lastAnswerBusy = false;
        pauseAfter(failures++, now);
    }

    /**
     * Puts the next request off, as after a failure that others came before; by less than half a second, since a caller that
     * tries has one second.
     */
    void pauseAfter(int others, long now) {
        long pause = FIRST_RETRY_NANOS << Math.min(others, MOST_DOUBLINGS);
        nextAt = now + (long) (pause * (0.5 + random.nextDouble()));
    }
}

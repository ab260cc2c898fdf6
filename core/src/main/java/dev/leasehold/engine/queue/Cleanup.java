package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cleanup is something of ours that must leave the store: a lease to release, or a claim to withdraw. It is repeated
 * until the store has answered, or until nothing of it can be left there any more.
 */
final class Cleanup {

    private static final long FIRST_RETRY_NANOS = 50_000_000L;
    private static final long MOST_RETRY_NANOS = 1_000_000_000L;

    private final ClaimId claim;
    private final @Nullable LeaseId lease;
    private final @Nullable Hold hold;
    private final long keepUntil;
    private final long firstSentAt;
    private final long pointlessAfterNanos;
    private final boolean stragglers;

    private boolean blocking;
    private int sent;
    private long sentAt;
    private boolean underWay;
    private long nextAt;
    private boolean holdTold;
    private boolean withdrawing;
    private boolean withdrawAfterwards;
    private long pointlessFrom;

    private Cleanup(
            ClaimId claim,
            @Nullable LeaseId lease,
            @Nullable Hold hold,
            long keepNanos,
            long now,
            long pointlessAfterNanos,
            boolean stragglers) {
        this.claim = claim;
        this.lease = lease;
        this.hold = hold;
        this.keepUntil = now + keepNanos;
        this.firstSentAt = now;
        this.pointlessAfterNanos = pointlessAfterNanos;
        this.pointlessFrom = now + pointlessAfterNanos;
        this.stragglers = stragglers;
        this.nextAt = now;
    }

    static Cleanup release(
            LeaseId lease,
            @Nullable Hold hold,
            long keepNanos,
            long now,
            long pointlessAfterNanos,
            boolean stragglers) {
        return new Cleanup(lease.claim(), lease, hold, keepNanos, now, pointlessAfterNanos, stragglers);
    }

    static Cleanup withdraw(ClaimId claim, long now, long pointlessAfterNanos, boolean stragglers) {
        return new Cleanup(claim, null, null, 0, now, pointlessAfterNanos, stragglers);
    }

    ClaimId claim() {
        return claim;
    }

    @Nullable LeaseId lease() {
        return lease;
    }

    @Nullable Hold hold() {
        return hold;
    }

    boolean isReleaseOf(ClaimId released) {
        return lease != null && !withdrawing && claim.equals(released);
    }

    /** Has claims wait for its first answer. */
    void block() {
        blocking = true;
    }

    /** Lets claims go on; returns whether they had to wait. */
    boolean unblock() {
        boolean blocked = blocking;
        blocking = false;
        return blocked;
    }

    /** Has the claim withdrawn after the release, if that leaves anything of it. */
    void withdrawAfterwards() {
        withdrawAfterwards = true;
    }

    /**
     * Returns whether the claim is to be withdrawn after the release was answered. A lease that was held until then is the
     * last that requests before it have made. After one that had run out, such a request may have made the claim wait again,
     * or given it another lease.
     */
    boolean isToBeWithdrawn(ReleaseAnswer answer) {
        return withdrawAfterwards && (stragglers || answer == ReleaseAnswer.NOT_HELD);
    }

    boolean isRepeated() {
        return sent > 1;
    }

    boolean isDue(long now) {
        return !underWay && now - nextAt >= 0;
    }

    boolean isPointless(long now) {
        return !underWay && now - pointlessFrom >= 0;
    }

    /** Returns whether the store has taken so long over it that no answer can be expected. */
    boolean isUnanswered(long limit, long now) {
        return underWay && now - sentAt >= limit;
    }

    /** Returns when to look at this again if nothing happens until then. */
    long nextLook(long storeTimeout, long limit) {
        long due = underWay ? sentAt + limit : nextAt;
        if (hold != null && !holdTold) {
            long tell = firstSentAt + storeTimeout;
            due = tell - due < 0 ? tell : due;
        }
        return due;
    }

    /** Returns whether this is under way as the release of a lease, or, with null, as the withdrawal of a claim. */
    boolean isSentAs(ClaimId sentClaim, @Nullable LeaseId sentLease) {
        LeaseId sentAs = withdrawing ? null : lease;
        return underWay && claim.equals(sentClaim) && Objects.equals(sentAs, sentLease);
    }

    Action send(long now) {
        underWay = true;
        sentAt = now;
        sent++;
        LeaseId released = lease;
        return released == null || withdrawing
                ? new Action.SendWithdraw(claim)
                : new Action.SendRelease(released, Duration.ofNanos(Math.max(0, keepUntil - now)));
    }

    void failed(long now) {
        underWay = false;
        nextAt = now + Math.min(MOST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(sent, 5));
    }

    /**
     * Notes that the store has carried this out.
     *
     * @return true if nothing else is to be done; false if requests of the claim may still be on their way, so that the
     *     claim has to be withdrawn once more when they no longer can be
     */
    boolean done(long now, Duration horizon) {
        underWay = false;
        if (!stragglers || withdrawing || horizon.isZero()) {
            return true;
        }
        withdrawing = true;
        nextAt = now + horizon.toNanos();
        pointlessFrom = nextAt + pointlessAfterNanos;
        return false;
    }

    /** Returns whether it is time to tell the holder that the store does not answer its release. */
    boolean mustTellHold(long now, long storeTimeout) {
        if (hold == null || holdTold || now - firstSentAt < storeTimeout) {
            return false;
        }
        holdTold = true;
        return true;
    }
}

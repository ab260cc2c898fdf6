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

    /**
     * A release is what a cleanup sends until it is answered.
     *
     * @param hold on behalf of which the lease is released, if there is one
     * @param keepUntil until when the lock stays taken
     * @param blocks whether claims wait for its first answer
     */
    record Release(LeaseId lease, @Nullable Hold hold, long keepUntil, boolean blocks) {}

    private final ClaimId claim;
    private final long firstSentAt;
    private final long pointlessAfterNanos;

    /** This is null where the claim is withdrawn from the start. */
    private final @Nullable Release release;

    private boolean stragglers;
    private boolean withdrawing;
    private int sent;
    private long sentAt;
    private boolean underWay;
    private long nextAt;
    private boolean holdTold;
    private boolean withdrawAfterwards;
    private long pointlessFrom;

    Cleanup(ClaimId claim, @Nullable Release release, long now, long pointlessAfterNanos, boolean stragglers) {
        this.claim = claim;
        this.release = release;
        this.firstSentAt = now;
        this.pointlessAfterNanos = pointlessAfterNanos;
        this.pointlessFrom = now + pointlessAfterNanos;
        this.stragglers = stragglers;
        this.withdrawing = release == null;
        this.nextAt = now;
    }

    ClaimId claim() {
        return claim;
    }

    /** Returns the lease that is, or was, released; null if there is none. */
    @Nullable LeaseId lease() {
        return release == null ? null : release.lease();
    }

    /** Returns the hold on behalf of which it is released, if there is one. */
    @Nullable Hold hold() {
        return release == null ? null : release.hold();
    }

    boolean isReleaseOf(ClaimId released) {
        return !withdrawing && claim.equals(released);
    }

    /** Returns whether claims have to wait for the first answer. */
    boolean isBlocking() {
        return release != null && release.blocks() && underWay && !isRepeated();
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
        if (hold() != null && !holdTold) {
            long tell = firstSentAt + storeTimeout;
            due = tell - due < 0 ? tell : due;
        }
        return due;
    }

    /** Returns whether this is under way as the release of a lease, or, with null, as the withdrawal of a claim. */
    boolean isSentAs(ClaimId sentClaim, @Nullable LeaseId sentLease) {
        LeaseId sentAs = withdrawing ? null : lease();
        return underWay && claim.equals(sentClaim) && Objects.equals(sentAs, sentLease);
    }

    Action send(long now) {
        underWay = true;
        sentAt = now;
        sent++;
        return release == null || withdrawing
                ? new Action.SendWithdraw(claim)
                : new Action.SendRelease(release.lease(), Duration.ofNanos(Math.max(0, release.keepUntil() - now)));
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
        if (!stragglers || horizon.isZero()) {
            return true;
        }
        stragglers = false;
        withdrawing = true;
        nextAt = now + horizon.toNanos();
        pointlessFrom = nextAt + pointlessAfterNanos;
        return false;
    }

    /** Returns whether it is time to tell the holder that the store does not answer its release. */
    boolean mustTellHold(long now, long storeTimeout) {
        if (hold() == null || holdTold || now - firstSentAt < storeTimeout) {
            return false;
        }
        holdTold = true;
        return true;
    }
}

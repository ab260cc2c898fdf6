package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pending cleanups are all that one local queue has to get out of the store. The release of a lease that was given back
 * in order blocks until it has been answered for the first time: where this process has all that the lock can give, a claim
 * sent before would find the lock taken by this very process.
 */
final class PendingCleanups {

    private final String lock;
    private final QueueSettings settings;
    private List<Cleanup> all = List.of();
    private long longestLease = WaitingRules.claimPeriod(LockOptions.FOREVER).toNanos();

    PendingCleanups(String lock, QueueSettings settings) {
        this.lock = lock;
        this.settings = settings;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns how many releases of leases that were given back in order have not been answered yet. */
    int blocking() {
        int blocking = 0;
        for (Cleanup cleanup : all) {
            blocking += cleanup.isBlocking() ? 1 : 0;
        }
        return blocking;
    }

    boolean has(LeaseId lease) {
        return all.stream().anyMatch(cleanup -> lease.equals(cleanup.lease()));
    }

    /**
     * Notes that a claim has to be withdrawn as soon as its lease is released, if its requests may outlive that. Not before: a
     * withdrawal that overtakes the release ends the lease too, and then the release seems to come too late.
     *
     * @return false if no release of it is under way
     */
    boolean withdrawAfterRelease(ClaimId claim) {
        for (Cleanup cleanup : all) {
            if (cleanup.isReleaseOf(claim)) {
                cleanup.withdrawAfterwards();
                return true;
            }
        }
        return false;
    }

    /** Notes that a lease is left in the store, since work may go on under it. */
    void leave(StoreLease left, long now) {
        settings.left().add(left.lease(), now + pointlessAfter(left.nanosInStore(now)));
    }

    /** Returns whether a lease was left in the store, where it may not be over yet. */
    boolean isLeft(LeaseId lease, long now) {
        return settings.left().has(lease, now);
    }

    /** Returns whether a claim has a lease that was left in the store, where it may not be over yet. */
    boolean isLeft(ClaimId claim, long now) {
        return settings.left().has(claim, now);
    }

    /** Notes for how long a claim of this queue may stay in the store. */
    void claimed(Duration lease) {
        longestLease = Math.max(longestLease, lease.toNanos());
    }

    long longestLease() {
        return longestLease;
    }

    void release(LeaseId lease, long keepNanos, boolean stragglers, long nanosInStore, long now, List<Action> actions) {
        Cleanup.Release release = new Cleanup.Release(lease, null, now + keepNanos, false);
        add(lease.claim(), release, nanosInStore, stragglers, now, actions);
    }

    void withdraw(ClaimId claim, boolean stragglers, long now, List<Action> actions) {
        long alive = WaitingRules.aliveFor(LockOptions.FOREVER).toNanos();
        add(claim, null, longestLease + alive, stragglers, now, actions);
    }

    /** Gives a lease back to the store, on behalf of the hold that has just ended, if there is one. */
    void giveBack(StoreLease back, @Nullable Hold hold, long keepNanos, long now, List<Action> actions) {
        Cleanup.Release release = new Cleanup.Release(back.lease(), hold, now + keepNanos, true);
        add(back.lease().claim(), release, back.nanosInStore(now), back.mayHaveStragglers(), now, actions);
    }

    /**
     * Returns how long from now something that the store keeps for a given time is certainly gone, even if a request was on
     * its way.
     */
    private long pointlessAfter(long nanosInStore) {
        return nanosInStore
                + settings.storeTimeout().toNanos()
                + settings.requestHorizon().toNanos();
    }

    private void add(
            ClaimId claim,
            Cleanup.@Nullable Release release,
            long nanosInStore,
            boolean stragglers,
            long now,
            List<Action> actions) {
        Cleanup cleanup = new Cleanup(claim, release, now, pointlessAfter(nanosInStore), stragglers);
        if (all.isEmpty()) {
            all = new ArrayList<>(1);
        }
        all.add(cleanup);
        actions.add(cleanup.send(now));
    }

    private @Nullable Cleanup sentAs(ClaimId claim, @Nullable LeaseId lease) {
        for (Cleanup cleanup : all) {
            if (cleanup.isSentAs(claim, lease)) {
                return cleanup;
            }
        }
        return null;
    }

    /** Takes the answer to a release; returns false if no release was waiting for it. */
    boolean released(LeaseId lease, ReleaseAnswer answer, long now, List<Action> actions) {
        Cleanup cleanup = sentAs(lease.claim(), lease);
        if (cleanup == null) {
            return false;
        }
        Hold hold = cleanup.hold();
        if (hold != null) {
            boolean lost = answer == ReleaseAnswer.NOT_HELD && !cleanup.isRepeated();
            if (lost) {
                hold.lose(new Loss("its lease had ended in the store before it was released", null));
                if (hold.announce(LeaseState.LOST)) {
                    actions.add(new Action.Announce(hold, LeaseState.LOST));
                }
            }
            actions.add(new Action.Settle(hold, lost ? LeaseState.LOST : LeaseState.RELEASED, null));
        }
        boolean withdraws = cleanup.isToBeWithdrawn(answer);
        finish(cleanup, now);
        if (withdraws) {
            withdraw(cleanup.claim(), true, now, actions);
        }
        return true;
    }

    void withdrawn(ClaimId claim, long now) {
        Cleanup cleanup = sentAs(claim, null);
        if (cleanup != null) {
            finish(cleanup, now);
        }
    }

    private void finish(Cleanup cleanup, long now) {
        if (cleanup.done(now, settings.requestHorizon())) {
            all.remove(cleanup);
        }
    }

    void failed(ClaimId claim, @Nullable LeaseId lease, LockException failure, long now, List<Action> actions) {
        Cleanup cleanup = sentAs(claim, lease);
        if (cleanup == null) {
            return;
        }
        cleanup.failed(now);
        if (!(failure instanceof StoreUnavailableException)) {
            giveUp(cleanup, failure, actions);
            all.remove(cleanup);
        }
    }

    private static void giveUp(Cleanup cleanup, LockException failure, List<Action> actions) {
        Hold hold = cleanup.hold();
        if (hold != null) {
            actions.add(new Action.Settle(hold, LeaseState.RELEASED, failure));
        }
    }

    /** Counts a cleanup as failed when the store has taken so long over it that no answer can be expected. */
    void expectNoLonger(long now) {
        for (Cleanup cleanup : all) {
            if (cleanup.isUnanswered(settings.longestAnswerNanos(), now)) {
                cleanup.failed(now);
            }
        }
    }

    /** Repeats each cleanup that is due, and gives up each that can have nothing left in the store any more. */
    void look(@Nullable LockException lastFailure, long now, List<Action> actions) {
        for (Iterator<Cleanup> each = all.iterator(); each.hasNext(); ) {
            Cleanup cleanup = each.next();
            if (cleanup.mustTellHold(now, settings.storeTimeout().toNanos())) {
                giveUp(cleanup, unanswered(lastFailure), actions);
            }
            if (cleanup.isPointless(now)) {
                giveUp(cleanup, unanswered(lastFailure), actions);
                each.remove();
            } else if (cleanup.isDue(now)) {
                actions.add(cleanup.send(now));
            }
        }
    }

    /** Leaves everything to the store, where it runs out. */
    void giveUpAll(LockException why, List<Action> actions) {
        for (Cleanup cleanup : all) {
            giveUp(cleanup, why, actions);
        }
        all = List.of();
    }

    private StoreUnavailableException unanswered(@Nullable LockException lastFailure) {
        return new StoreUnavailableException(
                "the store " + settings.store() + " did not answer the release of '" + lock
                        + "'; the hold is over, the release goes on in the background, and the lease runs out at the latest",
                settings.store(),
                Outcome.UNKNOWN,
                lastFailure);
    }

    long nextLook() {
        long due = DueTimes.NEVER;
        for (Cleanup cleanup : all) {
            due = DueTimes.earlier(
                    due, cleanup.nextLook(settings.storeTimeout().toNanos(), settings.longestAnswerNanos()));
        }
        return due;
    }
}

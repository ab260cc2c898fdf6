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
 * All that one local queue has to get out of the store. The release of a lease that was given back in order is the
 * blocker until it has been answered for the first time: a claim sent before would find the lock taken by ourselves.
 */
final class PendingCleanups {

    private final String lock;
    private final QueueSettings settings;
    private final List<Cleanup> all = new ArrayList<>();
    private @Nullable Cleanup blocker;
    private long longestLease = WaitingRules.claimPeriod(LockOptions.FOREVER).toNanos();

    PendingCleanups(String lock, QueueSettings settings) {
        this.lock = lock;
        this.settings = settings;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean isBlocked() {
        return blocker != null;
    }

    boolean has(LeaseId lease) {
        return all.stream().anyMatch(undo -> lease.equals(undo.lease()));
    }

    /**
     * Notes that a claim has to be withdrawn as soon as its lease is released. Not before: a withdrawal that overtakes the
     * release ends the lease too, and then the release seems to come too late.
     *
     * @return false if no release of it is under way
     */
    boolean withdrawAfterRelease(ClaimId claim) {
        for (Cleanup undo : all) {
            if (undo.isReleaseOf(claim)) {
                undo.withdrawAfterwards();
                return true;
            }
        }
        return false;
    }

    /** Notes for how long a claim of this queue may stay in the store. */
    void claimed(Duration lease) {
        longestLease = Math.max(longestLease, lease.toNanos());
    }

    long longestLease() {
        return longestLease;
    }

    void release(LeaseId lease, long keepNanos, boolean stragglers, long nanosInStore, long now, List<Action> actions) {
        add(Cleanup.release(lease, null, keepNanos, now, pointlessAfter(nanosInStore), stragglers), now, actions);
    }

    void withdraw(ClaimId claim, boolean stragglers, long now, List<Action> actions) {
        long alive = WaitingRules.aliveFor(LockOptions.FOREVER).toNanos();
        add(Cleanup.withdraw(claim, now, pointlessAfter(longestLease + alive), stragglers), now, actions);
    }

    /** Gives a lease back to the store, on behalf of the hold that has just ended, if there is one. */
    void giveBack(StoreLease back, @Nullable Hold hold, long keepNanos, long now, List<Action> actions) {
        long pointlessAfter = pointlessAfter(back.nanosInStore(now));
        Cleanup undo = Cleanup.release(back.lease(), hold, keepNanos, now, pointlessAfter, back.mayHaveStragglers());
        blocker = undo;
        add(undo, now, actions);
    }

    /** When something that the store keeps for a time from now is certainly gone, even if a request was on its way. */
    private long pointlessAfter(long nanosInStore) {
        return nanosInStore
                + settings.storeTimeout().toNanos()
                + settings.requestHorizon().toNanos();
    }

    private void add(Cleanup undo, long now, List<Action> actions) {
        all.add(undo);
        actions.add(undo.send(now));
    }

    private @Nullable Cleanup sentAs(ClaimId claim, @Nullable LeaseId lease) {
        for (Cleanup undo : all) {
            if (undo.isSentAs(claim, lease)) {
                return undo;
            }
        }
        return null;
    }

    /**
     * Takes the answer to a release.
     *
     * @return false if it was not waited for
     */
    boolean released(LeaseId lease, ReleaseAnswer answer, long now, List<Action> actions) {
        Cleanup undo = sentAs(lease.claim(), lease);
        if (undo == null) {
            return false;
        }
        Hold hold = undo.hold();
        if (hold != null) {
            boolean lost = answer == ReleaseAnswer.NOT_HELD && !undo.isRepeated();
            if (lost) {
                hold.lose();
                if (hold.announce(LeaseState.LOST)) {
                    actions.add(new Action.Announce(hold, LeaseState.LOST));
                }
            }
            actions.add(new Action.Settle(hold, lost ? LeaseState.LOST : LeaseState.RELEASED, null));
        }
        finish(undo, now);
        if (undo.isToBeWithdrawn()) {
            withdraw(undo.claim(), true, now, actions);
        }
        return true;
    }

    void withdrawn(ClaimId claim, long now) {
        Cleanup undo = sentAs(claim, null);
        if (undo != null) {
            finish(undo, now);
        }
    }

    private void finish(Cleanup undo, long now) {
        unblock(undo);
        if (undo.done(now, settings.requestHorizon())) {
            all.remove(undo);
        }
    }

    void failed(ClaimId claim, @Nullable LeaseId lease, LockException failure, long now, List<Action> actions) {
        Cleanup undo = sentAs(claim, lease);
        if (undo == null) {
            return;
        }
        undo.failed(now);
        unblock(undo);
        if (!(failure instanceof StoreUnavailableException)) {
            giveUp(undo, failure, actions);
            all.remove(undo);
        }
    }

    private void unblock(Cleanup undo) {
        if (blocker == undo) {
            blocker = null;
        }
    }

    private static void giveUp(Cleanup undo, LockException failure, List<Action> actions) {
        Hold hold = undo.hold();
        if (hold != null) {
            actions.add(new Action.Settle(hold, LeaseState.RELEASED, failure));
        }
    }

    /** Counts as failed what the store has taken so long over that no answer can be expected. */
    void expectNoLonger(long now) {
        for (Cleanup undo : all) {
            if (undo.isUnanswered(settings.longestAnswerNanos(), now)) {
                undo.failed(now);
                unblock(undo);
            }
        }
    }

    /** Repeats what is due, and gives up what can be left in the store no longer. */
    void look(@Nullable LockException lastFailure, long now, List<Action> actions) {
        for (Iterator<Cleanup> each = all.iterator(); each.hasNext(); ) {
            Cleanup undo = each.next();
            if (undo.mustTellHold(now, settings.storeTimeout().toNanos())) {
                giveUp(undo, unanswered(lastFailure), actions);
            }
            if (undo.isPointless(now)) {
                giveUp(undo, unanswered(lastFailure), actions);
                each.remove();
            } else if (undo.isDue(now)) {
                actions.add(undo.send(now));
            }
        }
    }

    /** Leaves everything to the store, where it runs out. */
    void giveUpAll(LockException why, List<Action> actions) {
        for (Cleanup undo : all) {
            giveUp(undo, why, actions);
        }
        all.clear();
        blocker = null;
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
        long due = LocalQueue.NEVER;
        for (Cleanup undo : all) {
            due = LocalQueue.earlier(
                    due, undo.nextLook(settings.storeTimeout().toNanos(), settings.longestAnswerNanos()));
        }
        return due;
    }
}

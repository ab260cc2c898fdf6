package dev.leasehold.zookeeper;

import dev.leasehold.LockException;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * A claim state is what the steps of a {@link ZkClaim} share: its callers, its session, its node, and the request that
 * is under way. It leads from one step to the next. Used by tasks of the client's serial executor only.
 */
final class ClaimState {

    final ClientLocks locks;
    final TimeSource time;
    final String parent;
    final ClaimNode own;
    final PendingCallers callers = new PendingCallers();
    final ClaimTimer timer;
    final ClaimRequests requests = new ClaimRequests(callers);

    /** Another node was before ours, so the release leaves a mark for the next in the queue. */
    boolean waited;

    /** So many attempts to create the node were in vain. */
    int tries;

    private final ZkClaim whole;
    private final long begun;
    private final List<CompletableFuture<ReleaseAnswer>> leavers = new ArrayList<>();
    private Claim claim;
    private ClaimStep step;
    private @Nullable Leaving leaving;
    private @Nullable OwnNode mine;
    private @Nullable ClaimAnswer refusal;
    private boolean queued;
    private boolean reads;
    private boolean resting;

    ClaimState(ClientLocks locks, ZkClaim whole, Claim claim) {
        this.locks = locks;
        this.time = locks.time();
        this.parent = locks.paths().lock(claim.lock());
        this.own = new ClaimNode(locks.executor(), parent, locks.session()::access, locks.context()::owner);
        this.timer = new ClaimTimer(time, locks.executor(), end -> step.dueBefore(end), whole::wake);
        this.whole = whole;
        this.begun = time.nanos();
        this.claim = claim;
        this.step = new Creating(this);
    }

    Claim claim() {
        return claim;
    }

    void asked(Claim again) {
        claim = withShare(again, claim.share());
        queued |= again.enqueue();
    }

    /** Returns a claim with the share of its first arrival: a later one does not count. */
    private static Claim withShare(Claim again, int share) {
        if (again.share() == share) {
            return again;
        }
        int spare = NodeName.isExclusive(share) ? again.spare() : 0;
        return new Claim(again.id(), again.lock(), share, again.lease(), spare, again.enqueue(), again.place());
    }

    /** Returns the share of the claim, or that of a reader if it has asked to become one. */
    int share() {
        return reads ? Claim.UNLIMITED : claim.share();
    }

    boolean isExclusive() {
        return NodeName.isExclusive(share());
    }

    /** Counts the holder as a reader from now on, whatever comes of its question. */
    void becomesReader() {
        reads = true;
    }

    boolean isQueued() {
        return queued;
    }

    ClaimStep step() {
        return step;
    }

    boolean isLeaving() {
        return leaving != null;
    }

    @Nullable Leaving leaving() {
        return leaving;
    }

    boolean isAt(ClaimStep at, Session in) {
        return requests.areIn(in) && step == at;
    }

    @Nullable OwnNode node() {
        return mine;
    }

    OwnNode mine() {
        return Objects.requireNonNull(mine, "a node that is there");
    }

    // ---- requests ------------------------------------------------------------------------------------------------

    /** Does what the state asks for, unless something is under way already. */
    void drive() {
        if (!requests.areIdle() || resting) {
            return;
        }
        if (isLeaving() && !step.isBound()) {
            vanish(ReleaseAnswer.NOT_HELD);
            return;
        }
        Session now = locks.session().ready();
        if (now == null || (step.isBound() && !requests.isBoundTo(now))) {
            return;
        }
        requests.bindTo(now);
        step.drive(now);
    }

    /** Handles an answer that is neither a success nor means something to the request. */
    void failed(Session of, Code code, String what) {
        if (Codes.isUnknown(code) || Codes.isPassing(code)) {
            locks.session().tryAgainSoon();
        } else if (code == Code.SESSIONEXPIRED) {
            locks.session().sessionOver(of);
        } else {
            refuse(refused(code, what));
        }
    }

    LockException refused(Code code, String what) {
        return Codes.refused(
                code,
                locks.session().toString(),
                what + " of '" + claim.lock() + "' in " + parent,
                isLeaving() || step instanceof Holding
                        ? "what is held stays so until it is released, or its session ends"
                        : "the lock was not acquired");
    }

    void refuse(LockException failure) {
        List<CompletableFuture<ClaimAnswer>> refused = callers.takeAll();
        if (!isLeaving()) {
            leave(Duration.ZERO, false);
        } else if (step.isBound()) {
            // The servers refuse the removal: it is tried again after a while, and ends with the session at the latest.
            rest();
            leavers.forEach(each -> each.completeExceptionally(failure));
            leavers.clear();
        } else {
            drive();
        }
        refused.forEach(each -> each.completeExceptionally(failure));
    }

    private void rest() {
        resting = true;
        locks.session().later(() -> {
            resting = false;
            drive();
        });
    }

    // ---- from step to step ---------------------------------------------------------------------------------------

    /** Ends a lease that nobody has renewed. Its node is still to be removed, but the answers say already that it is over. */
    void runOut() {
        leave(Duration.ZERO, true);
    }

    /** Leaves, and answers all callers with the given answer. */
    void leaveAs(ClaimAnswer answer) {
        refusal = answer;
        leave(Duration.ZERO, false);
    }

    void leave(Duration keep, CompletableFuture<ReleaseAnswer> leaver) {
        leavers.add(leaver);
        leave(keep, false);
    }

    private void leave(Duration keep, boolean ranOut) {
        if (isLeaving()) {
            if (locks.session().isClosed()) {
                // The timer that was to end a rest has ended with the client.
                resting = false;
                drive();
            }
            return;
        }
        Leaving leaves = new Leaving(this, step, keep, ranOut);
        leaving = leaves;
        if (!(step instanceof Creating)) {
            step = leaves;
        }
        drive();
    }

    void adopt(OwnNode node) {
        mine = node;
    }

    Waiting becomeWaiting() {
        Waiting waiting = new Waiting(this, mine());
        Leaving leaves = leaving;
        if (leaves != null) {
            leaves.comesAfter(waiting);
        }
        step = leaves != null ? leaves : waiting;
        return waiting;
    }

    void grant(int slot) {
        long token;
        try {
            token = Tokens.of(mine().czxid(), claim.lock());
        } catch (LockException e) {
            refuse(e);
            return;
        }
        step.stop();
        Holding holding = new Holding(this, mine(), token, slot, begun);
        step = holding;
        holding.begin();
    }

    /** Handles that there is no node of ours. A waiter makes another; a holder has lost the lock. */
    void nodeGone() {
        boolean held = step instanceof Holding;
        forgetReader();
        step.stop();
        mine = null;
        step = new Creating(this);
        if (held) {
            vanish(ReleaseAnswer.NOT_HELD);
            locks.context().signals().doubt(claim.lock());
        } else {
            drive();
        }
    }

    /**
     * Deletes the mark that the node has become a reader's, after the node, if the session is there. Otherwise it ends
     * with the session.
     */
    void forgetReader() {
        Session in = locks.session().ready();
        OwnNode left = mine;
        if (reads && left != null && in != null && requests.isBoundTo(in)) {
            own.forgetReader(in, left.child());
        }
    }

    /**
     * Handles that the session is over, and whatever it owned is not ours any more. A waiter waits on in the next one.
     */
    void sessionOver(Session ended) {
        if (!requests.areIn(ended) || !step.isBound()) {
            return;
        }
        Holding held = leaving != null ? leaving.held() : step instanceof Holding holding ? holding : null;
        String child = mine == null ? null : mine.child();
        locks.adopt(new Orphan(
                locks,
                parent,
                NodeName.prefix(claim.id(), claim.share()),
                child,
                ended.id,
                held != null ? held.told() : time.nanos()));
        requests.forgetSession();
        resting = false;
        nodeGone();
    }

    void vanish(ReleaseAnswer answer) {
        requests.end();
        step.stop();
        timer.cancel();
        locks.remove(claim.id(), whole);
        leavers.forEach(each -> each.complete(answer));
        leavers.clear();
        ClaimAnswer refused = refusal;
        if (refused != null) {
            callers.answer(refused);
        }
        // Callers that asked while the claim was leaving ask for a new lease.
        callers.takeAll().forEach(each -> locks.claim(claim, each));
    }
}

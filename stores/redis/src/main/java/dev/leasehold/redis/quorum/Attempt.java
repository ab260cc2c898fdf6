package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt tries to have a majority accept one and the same token: all nodes are asked at once, and again with a
 * greater token where theirs are ahead. It is won, or lost as soon as no majority can accept the token any more.
 *
 * <p>The gate is asked like the others, and what it says counts like theirs. But it decides who gives way: an attempt that it
 * has refused is lost, also with a majority elsewhere, so that nobody goes past those who stand there; and where attempts
 * have split the nodes, the one that has the gate keeps what it has and presses the others' nodes for a moment. An attempt to
 * which the gate has given the lock out of its queue collects: it asks the nodes that are still busy for a whole claim period.
 *
 * <p>An attempt that has failed takes back what it has raised. Each node that said yes has noted the end of its run as the last
 * token, and what had been noted before. If that stood, a lease with a smaller token, whose node has forgotten it, would
 * never get that node again while others try in vain. Taking it back is right for these reasons:
 *
 * <ul>
 *   <li>A token is a lease's only once this attempt has counted a majority for it in time; no node decides that, and no other client.
 *       An attempt that is over counts nothing any more, and its name is not used again. So one that is over without having won
 *       has no lease and will have none, also where a majority has said yes and the answers were lost. No later token has to exceed
 *       one that nobody was granted.
 *   <li>Where the attempt still stands on a node, nobody else can have raised the last token since it took that node:
 *       every other attempt was refused. So what was noted before is all that the others have been promised there. Only
 *       readers are let in beside a reader; so a node notes what its last token would be without them, and what is left
 *       is the greatest of this, of those that stay, and of those that have left in any other way. Where it does not
 *       stand any more, because its time ran out, nothing is taken back: somebody else may have said yes to by then.
 *   <li>A node that has lost its memory, or has an old one, accepts nothing that it could have given out before; what is taken
 *       back there does not lower that floor.
 *   <li>A release may come late or twice: it finds the attempt, which is over wherever it stands, or nothing.
 * </ul>
 *
 * <p>Only the cleanup of an attempt that has not won asks for it: not the release of a lease, not the cleanup of a lease that is
 * lost, and not that of a grant to an attempt that this client no longer knows, and that may have been a lease.
 */
final class Attempt implements ClaimStep, BallotRound.Listener {

    private static final int MOST_RAISES = 5;
    private static final long FIRST_REASK_NANOS = 1_000_000L;
    private static final long MOST_REASK_NANOS = 50_000_000L;
    private static final int ROUNDS_OF_A_HOLDER = 3;
    private static final long LEAST_GRACE_NANOS = 5_000_000L;

    /** A claimant is the claim that makes the attempt. */
    interface Claimant {
        /** Returns whether the claim may queue at the gate instead. */
        boolean mayQueue();

        /** Returns the duration for which the claim asks now. */
        Duration lease();

        /**
         * A majority has accepted the token.
         *
         * @param asked for how long the nodes were asked to give it the lock
         */
        void won(QuorumLease lease, Duration asked, Validity validity);

        /** A majority says again and again that one and the same other holds the lock. The attempt goes on all the same. */
        void heldByAnother(Attempt attempt);

        /** The attempt has failed; the nodes that it has got are still to be given back. */
        void lost(Attempt attempt);
    }

    private enum Phase {
        ASKING,
        PRESSING,
        COLLECTING,
        WON,
        OVER
    }

    private final Quorum quorum;
    private final GateSelection gateSelection;
    private final SerialExecutor serial;
    private final BallotRound ballotRound;
    private final VoteCount count;
    private final Claimant claimant;
    private final SerialTimer grace;
    private final SerialTimer reask;
    private final SerialTimer giveUp;
    private Phase phase = Phase.ASKING;
    private ClockReading proposedAt;
    private long reaskNanos = FIRST_REASK_NANOS;
    private boolean hasWon;
    private int raises;
    private int rounds;
    private long askingAgainSince;
    private @Nullable QuorumLease lease;

    /**
     * Makes one that has asked nobody yet.
     *
     * @param nodeTimeout how long a node's answer is waited for
     */
    Attempt(
            Quorum quorum,
            GateSelection gateSelection,
            SerialExecutor serial,
            Ballot first,
            Duration nodeTimeout,
            Claimant claimant) {
        this.quorum = quorum;
        this.gateSelection = gateSelection;
        this.serial = serial;
        this.claimant = claimant;
        ballotRound = new BallotRound(quorum, serial, first, nodeTimeout, this);
        count = ballotRound.count();
        TimeSource time = quorum.time();
        grace = new SerialTimer(time, serial);
        reask = new SerialTimer(time, serial);
        giveUp = new SerialTimer(time, serial);
        proposedAt = time.now();
    }

    void begin() {
        askAll();
    }

    /** The gate has given it the lock. */
    void collect(Duration claimPeriod) {
        phase = Phase.COLLECTING;
        askingAgainSince = quorum.time().nanos();
        giveUp.set(claimPeriod, this::lose);
        askAll();
    }

    private void askAll() {
        proposedAt = quorum.time().now();
        ballotRound.askAll(quorum.gate(gateSelection));
    }

    VoteCount count() {
        return count;
    }

    @Override
    public void answered(int node, Vote vote) {
        QuorumLease held = lease;
        if (held != null) {
            held.late(node, vote);
        } else {
            judge();
        }
    }

    @Override
    public void missed() {
        judge();
    }

    private void judge() {
        if (phase == Phase.WON || phase == Phase.OVER) {
            return;
        }
        if (phase == Phase.COLLECTING && isRefusedForLong()) {
            claimant.heldByAnother(this);
        }
        VoteCount.Verdict verdict = count.verdict();
        boolean decided = verdict != VoteCount.Verdict.OPEN;
        if (isRefusedByGate() && (claimant.mayQueue() || decided)) {
            lose();
        } else if (verdict == VoteCount.Verdict.WON && isGateOwed()) {
            waitForGate();
        } else if (verdict == VoteCount.Verdict.WON) {
            win();
        } else if (verdict == VoteCount.Verdict.RAISE && raises < MOST_RAISES) {
            raises++;
            count.propose(count.raised());
            askAll();
        } else if (phase == Phase.COLLECTING || (phase == Phase.PRESSING && !isRefusedForLong())) {
            askAgainLater();
        } else if (decided && count.isContended()) {
            contend();
        } else if (decided && !count.isAnyOwed()) {
            lose();
        }
    }

    /**
     * Returns whether another claim holds the lock, and not just one whose release has reached the gate before the other
     * nodes, or that the gate has refused and that gives way. Those have been asked again by now.
     */
    private boolean isRefusedForLong() {
        return rounds >= ROUNDS_OF_A_HOLDER
                && quorum.time().nanos() - askingAgainSince >= MOST_REASK_NANOS
                && count.isHeldByOne();
    }

    /**
     * Settles a split vote: several attempts share the nodes, and the gate decides which gives way. One with a majority but
     * without the gate may have won or may give way just now, so the one that has the gate presses against it as well.
     */
    private void contend() {
        if (phase == Phase.PRESSING) {
            lose();
        } else if (isGateOwed()) {
            waitForGate();
        } else if (isGivenByGate()) {
            press();
        } else {
            lose();
        }
    }

    /**
     * Returns whether the gate has refused this attempt, for a holder or for a claim that is earlier in its queue: no
     * attempt passes the gate. A client of another kind is the exception: it knows of no gate, and has the lock only if it
     * has a majority.
     */
    boolean isRefusedByGate() {
        int gate = quorum.gate(gateSelection);
        return gate >= 0 && count.vote(gate) instanceof Vote.Busy busy && !busy.isForeign();
    }

    boolean isGivenByGate() {
        int gate = quorum.gate(gateSelection);
        return gate >= 0 && count.saidYes(gate);
    }

    private boolean isGateOwed() {
        int gate = quorum.gate(gateSelection);
        return gate >= 0 && count.isOwed(gate);
    }

    /**
     * Waits for the gate's answer, because the gate has the queue and decides between attempts that have split the nodes.
     * The wait is somewhat longer than the other nodes took; a gate that is slower than that is passed over.
     */
    private void waitForGate() {
        if (grace.isSet()) {
            return;
        }
        long taken = quorum.time().nanos() - proposedAt.nanos();
        long more = Math.min(
                Math.max(LEAST_GRACE_NANOS, 2 * taken),
                ballotRound.nodeTimeout().toNanos());
        grace.set(Duration.ofNanos(more), () -> {
            int gate = quorum.gate(gateSelection);
            if (gate >= 0 && count.isOwed(gate)) {
                quorum.failed(gate);
                judge();
            }
        });
    }

    /**
     * Presses on after a split vote, as the attempt that has the gate: the others have been refused there, and give way. So
     * it keeps its nodes and asks for theirs again, like an attempt whose turn it is; for one time limit of a node, since an
     * attempt that has not given way by then will not.
     */
    private void press() {
        phase = Phase.PRESSING;
        reaskNanos = FIRST_REASK_NANOS;
        askingAgainSince = quorum.time().nanos();
        giveUp.set(ballotRound.nodeTimeout(), this::lose);
        askAgainLater();
    }

    private void askAgainLater() {
        if (!reask.isSet()) {
            reask.set(Duration.ofNanos(reaskNanos), this::askAgain);
            reaskNanos = Math.min(MOST_REASK_NANOS, reaskNanos * 2);
        }
    }

    private void askAgain() {
        rounds++;
        if (count.verdict() == VoteCount.Verdict.RAISE) {
            count.propose(count.raised());
            askAll();
            return;
        }
        List<Integer> again = new ArrayList<>();
        for (int i = 0; i < quorum.size(); i++) {
            if (!count.isOwed(i) && !count.saidYes(i)) {
                again.add(i);
            }
        }
        if (!again.isEmpty()) {
            ballotRound.ask(again);
        }
    }

    private void win() {
        QuorumLease won = new QuorumLease(quorum, serial, gateSelection, count.ballot(), count);
        Validity validity = won.validity(proposedAt, claimant.lease());
        if (validity == null) {
            lose();
            return;
        }
        stopTimers();
        phase = Phase.WON;
        hasWon = true;
        lease = won;
        claimant.won(won, count.ballot().lease(), validity);
    }

    private void lose() {
        claimant.lost(this);
    }

    @Override
    public void stop() {
        stopTimers();
        phase = Phase.OVER;
        lease = null;
    }

    private void stopTimers() {
        ballotRound.stop();
        grace.stop();
        reask.stop();
        giveUp.stop();
    }

    @Override
    public CompletableFuture<@Nullable Void> cleanUp() {
        return ballotRound.cleanUp(!hasWon);
    }
}

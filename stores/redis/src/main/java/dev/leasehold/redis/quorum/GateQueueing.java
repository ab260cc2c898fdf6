package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClaimAnswer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gate queueing keeps a claim's place in line at a gate: the place is asked for, kept by asking again, and given up where
 * another gate is the right one.
 *
 * <p>Order is only as good as the agreement on the gate. A client that has missed the right gate's answers queues at another one,
 * and is overtaken there by all clients that have not. So whenever it has confirmed its place, it asks the nodes that it has not
 * heard of for their status, and if one of them turns out to be the right gate, it queues there instead. As long as the right
 * gate does not answer, it keeps its place.
 *
 * <p>No timer is needed for this, because the engine asks again every few seconds anyway ({@link
 * dev.leasehold.spi.WaitingRules#askEvery}). That interval is also how long a waiter stays at the wrong gate after the
 * right one has recovered. And it is the least time between two attempts to return: a gate may answer the question for
 * its status, and still not let the client wait, and each attempt costs the place that the client has. So a place that
 * was only just taken is not left again; the question goes out after the second answer of the gate, not after the first.
 */
final class GateQueueing implements ClaimStep, BallotRound.Listener {

    private static final int MOST_RAISES = 5;
    private static final int MOST_MISSES = 4;

    /** A waiter is the claim that queues, as far as its place concerns it. */
    interface Waiter {
        /** The claim has a place in line. */
        void stands(ClaimAnswer.Busy answer);

        /** The gate has given it the lock, which bounds its proposals from below, and counts for nothing else. */
        void hasItsTurn(GateQueueing queueing, long token);

        /** It has no place here, or another gate is the right one. */
        void mustJoinAgain();
    }

    private final Quorum quorum;
    private final GateSelection gateSelection;
    private final SerialExecutor serial;
    private final int gate;
    private final BallotRound ballotRound;
    private final Waiter waiter;
    private boolean isAsking;
    private boolean isOver;
    private boolean hasStood;
    private int raises;
    private int misses;

    /**
     * Makes one that has asked the gate for nothing yet.
     *
     * @param first what the gate is asked for first
     */
    GateQueueing(
            Quorum quorum,
            GateSelection gateSelection,
            SerialExecutor serial,
            int gate,
            Ballot first,
            Duration nodeTimeout,
            Waiter waiter) {
        this.quorum = quorum;
        this.gateSelection = gateSelection;
        this.serial = serial;
        this.gate = gate;
        this.waiter = waiter;
        ballotRound = new BallotRound(quorum, serial, first, nodeTimeout, this);
    }

    /**
     * Asks the gate for the lock, or for a place in line.
     *
     * @param proposal the token
     */
    void ask(long proposal) {
        isAsking = true;
        ballotRound.count().propose(proposal);
        ballotRound.expect(gate);
        CompletableFuture<?> listening =
                quorum.voter(gate).listen(ballot().lock()).toCompletableFuture();
        if (listening.isDone() && !listening.isCompletedExceptionally()) {
            ballotRound.send(gate);
            return;
        }
        listening.whenComplete((done, failure) -> serial.execute(() -> {
            if (isOver) {
                return;
            }
            if (failure == null) {
                ballotRound.send(gate);
            } else {
                ballotRound.failed(gate, ballot(), failure);
            }
        }));
    }

    /**
     * Asks the gate again, or another one if that is the right one now.
     *
     * @param proposal the token
     */
    void askAgain(long proposal) {
        if (isAnotherGateRight()) {
            waiter.mustJoinAgain();
        } else {
            ask(proposal);
        }
    }

    boolean isAsking() {
        return isAsking;
    }

    Ballot ballot() {
        return ballotRound.count().ballot();
    }

    @Override
    public void answered(int node, Vote vote) {
        judge();
    }

    @Override
    public void missed() {
        judge();
    }

    private void judge() {
        if (!isAsking || ballotRound.count().isOwed(gate)) {
            return;
        }
        isAsking = false;
        ballotRound.stop();
        Vote vote = ballotRound.count().vote(gate);
        misses = vote == null ? misses : 0;
        if (vote instanceof Vote.Busy busy) {
            waiter.stands(new ClaimAnswer.Busy(busy.holder(), busy.timeLeft(), busy.place()));
            if (hasStood) {
                lookForTheRightGate();
            }
            hasStood = true;
        } else if (vote instanceof Vote.Yes yes) {
            waiter.hasItsTurn(this, yes.token());
        } else if (vote instanceof Vote.Stale stale && raises++ < MOST_RAISES) {
            ask(stale.last() + 1);
        } else if (vote instanceof Vote.TooFar far && raises++ < MOST_RAISES) {
            ask(far.most());
        } else if (vote == null && ++misses < MOST_MISSES && quorum.gate(gateSelection) == gate) {
            ask(ballot().token());
        } else {
            waiter.mustJoinAgain();
        }
    }

    private void lookForTheRightGate() {
        for (int i = 0; i < quorum.size(); i++) {
            if (quorum.isUnheard(i)) {
                quorum.lookAgain(i).thenRun(() -> serial.execute(this::returnToTheRightGate));
            }
        }
    }

    private void returnToTheRightGate() {
        if (!isOver && isAnotherGateRight()) {
            waiter.mustJoinAgain();
        }
    }

    /**
     * Returns whether the client knows that another gate is right, and not this one. A gate that is silent only to the
     * questions about other locks is first asked about this one, and left if it does not answer that either.
     */
    private boolean isAnotherGateRight() {
        int right = quorum.gate(gateSelection);
        return right >= 0 && right != gate && !quorum.isUnheard(gate);
    }

    @Override
    public void stop() {
        isOver = true;
        isAsking = false;
        ballotRound.stop();
    }

    @Override
    public CompletableFuture<@Nullable Void> cleanUp() {
        // The gate has given a turn, and no attempt was made of it.
        return ballotRound.cleanUp(true);
    }
}

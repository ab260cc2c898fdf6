package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClaimAnswer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A place in line at the gate: asked for, kept by asking again, and given up where another gate is the right one.
 *
 * <p>Who stands at another gate, because the right one was not heard of, goes back when it is: there stand all who have never
 * missed it. It gives up its place only then, and keeps it as long as the right one is down.
 */
final class GateQueueing implements ClaimStep, BallotRound.Listener {

    private static final int MOST_RAISES = 5;
    private static final int MOST_MISSES = 4;

    /** What the claim is told. */
    interface Waiter {
        /** It stands in line. */
        void stands(ClaimAnswer.Busy answer);

        /** The gate has given it the lock, which bounds its proposals from below, and counts for nothing else. */
        void hasItsTurn(GateQueueing place, long token);

        /** It has no place here, or another gate is the right one. */
        void mustJoinAgain();
    }

    private final Quorum quorum;
    private final GateSelection ranks;
    private final SerialExecutor serial;
    private final int gate;
    private final BallotRound ballots;
    private final GateReturnBackoff delay;
    private final Waiter waiter;
    private final SerialTimer returning;
    private final Runnable looking;
    private boolean isLooking;
    private boolean isAsking;
    private boolean isOver;
    private int raises;
    private int misses;

    /**
     * Makes one that has not been asked for yet.
     *
     * @param first what the gate is asked for first
     */
    GateQueueing(
            Quorum quorum,
            GateSelection ranks,
            SerialExecutor serial,
            int gate,
            Ballot first,
            Duration patience,
            GateReturnBackoff delay,
            Waiter waiter) {
        this.quorum = quorum;
        this.ranks = ranks;
        this.serial = serial;
        this.gate = gate;
        this.delay = delay;
        this.waiter = waiter;
        ballots = new BallotRound(quorum, serial, first, patience, this);
        returning = new SerialTimer(quorum.time(), serial);
        looking = () -> serial.execute(this::look);
    }

    /**
     * Asks the gate for the lock, or for a place in line.
     *
     * @param proposal the token
     */
    void ask(long proposal) {
        isAsking = true;
        ballots.poll().propose(proposal);
        ballots.expect(gate);
        CompletableFuture<?> listening =
                quorum.voter(gate).listen(ballot().lock()).toCompletableFuture();
        if (listening.isDone() && !listening.isCompletedExceptionally()) {
            ballots.send(gate);
            return;
        }
        listening.whenComplete((done, failure) -> serial.execute(() -> {
            if (isOver) {
                return;
            }
            if (failure == null) {
                ballots.send(gate);
            } else {
                ballots.failed(gate, ballot(), failure);
            }
        }));
    }

    boolean isAsking() {
        return isAsking;
    }

    Ballot ballot() {
        return ballots.poll().ballot();
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
        if (!isAsking || ballots.poll().isOwed(gate)) {
            return;
        }
        isAsking = false;
        ballots.stop();
        Vote vote = ballots.poll().vote(gate);
        misses = vote == null ? misses : 0;
        if (vote instanceof Vote.Busy busy) {
            waiter.stands(new ClaimAnswer.Busy(busy.holder(), busy.timeLeft(), busy.place()));
            look();
        } else if (vote instanceof Vote.Yes yes) {
            waiter.hasItsTurn(this, yes.token());
        } else if (vote instanceof Vote.Stale stale && raises++ < MOST_RAISES) {
            ask(stale.last() + 1);
        } else if (vote instanceof Vote.TooFar far && raises++ < MOST_RAISES) {
            ask(far.most());
        } else if (vote == null && ++misses < MOST_MISSES && quorum.gate(ranks) == gate) {
            ask(ballot().token());
        } else {
            waiter.mustJoinAgain();
        }
    }

    /** Looks for the right gate, now and then, until this is it and all others can be told from it. */
    private void look() {
        if (isOver || isAsking) {
            return;
        }
        boolean right = quorum.gateOfOthers(ranks) == gate;
        if (right) {
            delay.succeeded();
        }
        if (right && quorum.known() == quorum.size()) {
            stopLooking();
            return;
        }
        if (!isLooking) {
            isLooking = true;
            quorum.silentGates().watch(looking);
        }
        if (!returning.isSet() && isAnotherGate()) {
            returning.set(delay.next(quorum.random()), this::goBack);
        }
    }

    private boolean isAnotherGate() {
        int now = quorum.gate(ranks);
        return now >= 0 && now != gate;
    }

    private void goBack() {
        if (!isAsking && isAnotherGate()) {
            delay.tried();
            waiter.mustJoinAgain();
        }
    }

    private void stopLooking() {
        if (isLooking) {
            isLooking = false;
            quorum.silentGates().forget(looking);
        }
    }

    @Override
    public void stop() {
        isOver = true;
        isAsking = false;
        ballots.stop();
        returning.stop();
        stopLooking();
    }

    @Override
    public CompletableFuture<@Nullable Void> sweep() {
        // What the gate has given was a turn, and no attempt was made of it.
        return ballots.sweep(true);
    }
}

package dev.leasehold.redis.quorum;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.internal.Stages;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A quorum claim is one claim before a quorum, from the first ballot to the end of its lease.
 *
 * <p>It begins with an attempt that asks all nodes at once. If a majority accepts the token, the claim has the lock; if
 * none can, all that the attempt has got is given back on <em>all</em> nodes, also on those that seem to have given
 * nothing, and the attempt is finished: a ballot of it that is still on its way may at worst keep a node busy for one
 * lease, and can never be counted for a later attempt, which has another name.
 *
 * <p>A claim that may wait then stands in line at one node, the gate, so that those who wait do not split the nodes among
 * themselves again and again. When the gate gives it the lock, it collects the majority: it proposes a token to all nodes,
 * the gate included, and asks those that are busy again for one claim period. The gate's grant counts for nothing in this:
 * a lock rests on the majority that has accepted one and the same token, the gate is only about order. So where
 * clients disagree on the gate, or it is down, nothing worse happens than further attempts after random delays.
 */
final class QuorumClaim implements Attempt.Claimant, GateQueueing.Waiter {

    /** An owner is the store to which the claim belongs. */
    interface Owner {
        /**
         * A node may tell from now on that it has given the lock to this attempt: perhaps long after the attempt has found
         * that out by asking, and has won.
         */
        void waits(ClaimId attempt, QuorumClaim claim);

        /** A node that gives something to this attempt gives it in vain. */
        void waitsNoLonger(ClaimId attempt);

        /** The lock was won while nobody was asking. */
        void won(Grant grant, Validity validity);

        /** The claim has something before the quorum, or is about to. */
        void begins(QuorumClaim claim);

        /** The claim is over: nothing is left of it that a request could concern. */
        void ended(QuorumClaim claim);
    }

    private final Quorum quorum;
    private final Owner owner;
    private final SerialExecutor serial;
    private final GateSelection gateSelection;
    private final SerialTimer retry;
    private final ClaimCallers callers = new ClaimCallers();
    private final ClaimRetries retries;
    private final ClaimLease lease;

    private Claim claim;
    private long aliveUntil;
    private @Nullable ClaimStep step;
    private @Nullable ClaimId waitsAs;
    private boolean isOver;
    private ClaimAnswer.Busy lastBusy = new ClaimAnswer.Busy(null, null, 0);

    QuorumClaim(Quorum quorum, Owner owner, Claim claim) {
        this.quorum = quorum;
        this.owner = owner;
        this.claim = claim;
        serial = new SerialExecutor(quorum::execute, quorum::execute, Integer.MAX_VALUE, this::failed);
        retry = new SerialTimer(quorum.time(), serial);
        gateSelection = quorum.gateSelection(claim.lock());
        retries = new ClaimRetries(quorum);
        lease = new ClaimLease(serial, claim.lock(), claim.id(), this::end);
    }

    Claim claim() {
        return claim;
    }

    // ---- what the engine asks ------------------------------------------------------------------------------------

    CompletableFuture<ClaimAnswer> ask(Claim again) {
        CompletableFuture<ClaimAnswer> caller = new CompletableFuture<>();
        serial.execute(() -> {
            // A repetition does not change the share.
            claim = again.share() == claim.share() ? again : claim;
            aliveUntil =
                    quorum.time().nanos() + WaitingRules.aliveFor(again.lease()).toNanos();
            asked(caller);
        });
        return caller;
    }

    private void asked(CompletableFuture<ClaimAnswer> caller) {
        QuorumLease held = lease.held();
        if (isOver) {
            caller.complete(new ClaimAnswer.Busy(null, null, 0));
        } else if (held != null) {
            repeat(held, caller);
        } else {
            callers.add(caller);
            if (step == null) {
                begin();
            } else if (step instanceof GateQueueing queueing && !queueing.isAsking()) {
                queueing.askAgain(clock());
            }
        }
    }

    /** The claim was granted already: its lease is made as long as it is asked for now. */
    private void repeat(QuorumLease held, CompletableFuture<ClaimAnswer> caller) {
        lease.grantAgain(held, claim.lease(), caller, this::finishStep, () -> asked(caller));
    }

    CompletableFuture<RenewAnswer> renew(LeaseId wanted, Duration duration) {
        return lease.renew(wanted, duration);
    }

    CompletableFuture<ReleaseAnswer> release(LeaseId wanted, Duration keepFor) {
        return lease.release(wanted, keepFor);
    }

    CompletableFuture<@Nullable Void> withdraw() {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        serial.execute(() -> {
            QuorumLease held = lease.held();
            Stages.pass(held != null ? held.withdraw() : abandon(), result);
            end();
        });
        return result;
    }

    private void end() {
        isOver = true;
        lease.forget();
        retry.stop();
        finishStep();
        owner.ended(this);
        callers.answer(new ClaimAnswer.Busy(null, null, 0));
    }

    /** Fails the claim's callers after a task did not end properly: they would wait for an answer that may never come. */
    private void failed(Throwable fault) {
        System.getLogger("dev.leasehold.redis")
                .log(System.Logger.Level.ERROR, "Leasehold has a fault in a quorum", fault);
        StoreUnavailableException failure = new StoreUnavailableException(
                "the claim of '" + claim.lock() + "' before " + quorum
                        + " was given up, and may have been granted: Leasehold has a fault, which it has logged",
                quorum.toString(),
                StoreUnavailableException.Outcome.UNKNOWN,
                fault);
        callers.takeEach(caller -> caller.completeExceptionally(failure));
        if (lease.held() == null) {
            abandon();
        }
    }

    // ---- attempts ------------------------------------------------------------------------------------------------

    private void begin() {
        retry.stop();
        owner.begins(this);
        if (quorum.known() >= quorum.majority()) {
            attempt();
            return;
        }
        NodeDiscovery discovery = new NodeDiscovery(quorum, serial, this::discovered);
        step = discovery;
        discovery.begin();
    }

    private void discovered(NodeDiscovery discovery) {
        if (quorum.known() >= quorum.majority()) {
            attempt();
        } else {
            step = null;
            unavailable(discovery::words, discovery::isRefused);
        }
    }

    private long clock() {
        return quorum.clock().orElseThrow();
    }

    private void attempt() {
        Attempt attempt =
                newAttempt(Ballot.Kind.CLAIM, quorum.newAttempt(claim.id()), clock(), claim.spare(), claim.lease());
        step = attempt;
        attempt.begin();
    }

    private Attempt newAttempt(Ballot.Kind kind, ClaimId id, long proposal, int spare, Duration duration) {
        Ballot ballot = new Ballot(claim.lock(), id, claim.isShared(), proposal, spare, duration, kind);
        return new Attempt(quorum, gateSelection, serial, ballot, nodeTimeout(), this);
    }

    private Duration nodeTimeout() {
        return quorum.nodeTimeout(claim.lease());
    }

    @Override
    public boolean mayQueue() {
        return claim.enqueue();
    }

    @Override
    public Duration lease() {
        return claim.lease();
    }

    @Override
    public void won(QuorumLease held, Duration asked, Validity validity) {
        lease.set(held);
        if (callers.isEmpty()) {
            owner.won(new Grant(lease.id(held), held.spare(), claim.share(), Grant.NO_SLOT), validity);
        } else if (asked.compareTo(claim.lease()) < 0) {
            callers.takeEach(caller -> repeat(held, caller));
        } else {
            callers.answer(lease.granted(held, validity));
        }
    }

    /**
     * Answers the callers while the attempt goes on: the gate has given it the lock, and may have forgotten the holder that
     * the other nodes know. Callers must not wait for the end of the claim period to hear that; a later grant reaches them
     * unasked.
     */
    @Override
    public void heldByAnother(Attempt attempt) {
        lastBusy =
                new ClaimAnswer.Busy(attempt.count().holder(), attempt.count().timeLeft(), 1);
        callers.answer(lastBusy);
    }

    @Override
    public void lost(Attempt attempt) {
        VoteCount votes = attempt.count();
        boolean contended = attempt.isRefusedByGate() || votes.isContended();
        boolean settled = votes.isHeldByOne() || attempt.isRefusedByGate() || attempt.isGivenByGate();
        lastBusy = new ClaimAnswer.Busy(votes.holder(), votes.timeLeft(), 0);
        ClockReading now = quorum.time().now();
        abandon();
        if (!contended) {
            retryOrFail(i -> votes.words(i, now), votes::isRefused);
        } else if (claim.enqueue()) {
            retries.joins();
            join();
        } else if (settled || retries.isSplitTooOften()) {
            retries.settled();
            owner.ended(this);
            callers.answer(lastBusy);
        } else {
            retryLater();
        }
    }

    /** Tries again after too few nodes have answered, or fails the callers that cannot wait. */
    private void retryOrFail(IntFunction<String> words, IntPredicate refused) {
        boolean hasty = nodeTimeout().compareTo(quorum.settings().nodeTimeout()) < 0;
        boolean again = callers.isEmpty() ? isAlive() : hasty && retries.mayHurry();
        if (again) {
            retryLater();
        } else {
            retries.hurriedEnough();
            unavailable(words, refused);
        }
    }

    private void unavailable(IntFunction<String> words, IntPredicate refused) {
        owner.ended(this);
        callers.takeEach(caller ->
                caller.completeExceptionally(QuorumFailures.noMajority(quorum, claim.lock(), words, refused)));
    }

    private boolean isAlive() {
        return quorum.time().nanos() - aliveUntil < 0 && !quorum.isClosed();
    }

    /** Ends the step that has failed: it is undone on all nodes, and its name is never used again. */
    private CompletableFuture<@Nullable Void> abandon() {
        ClaimStep failed = step;
        finishStep();
        return failed == null ? CompletableFuture.completedFuture(null) : failed.cleanUp();
    }

    private void finishStep() {
        ClaimStep finished = step;
        if (finished != null) {
            finished.stop();
        }
        step = null;
        ClaimId waited = waitsAs;
        if (waited != null) {
            owner.waitsNoLonger(waited);
        }
        waitsAs = null;
    }

    /** Tries again after a random delay, so that claims that have split the nodes do not do it again. */
    private void retryLater() {
        retry.set(retries.delay(nodeTimeout()), () -> {
            if (!callers.isEmpty() || isAlive()) {
                begin();
            }
        });
    }

    // ---- standing in line at the gate ----------------------------------------------------------------------------

    private void join() {
        int gate = quorum.gate(gateSelection);
        if (gate < 0 || retries.isAtTooManyGates()) {
            callers.answer(lastBusy);
            retryLater();
            return;
        }
        ClaimId attempt = quorum.newAttempt(claim.id());
        Ballot ballot = new Ballot(
                claim.lock(), attempt, claim.isShared(), clock(), claim.spare(), claim.lease(), Ballot.Kind.QUEUE);
        GateQueueing queueing = new GateQueueing(quorum, gateSelection, serial, gate, ballot, nodeTimeout(), this);
        step = queueing;
        waitsAs = attempt;
        owner.waits(attempt, this);
        queueing.ask(ballot.token());
    }

    @Override
    public void stands(ClaimAnswer.Busy answer) {
        retries.stands();
        lastBusy = answer;
        callers.answer(answer);
    }

    @Override
    public void mustJoinAgain() {
        abandon();
        join();
    }

    /** The gate has given the lock to an attempt, unasked. */
    void granted(ClaimId attempt, long token) {
        serial.execute(() -> {
            if (step instanceof GateQueueing queueing
                    && attempt.equals(queueing.ballot().attempt())) {
                hasItsTurn(queueing, token);
            }
        });
    }

    @Override
    public void hasItsTurn(GateQueueing queueing, long token) {
        queueing.stop();
        Ballot queued = queueing.ballot();
        Duration claimPeriod = WaitingRules.claimPeriod(claim.lease());
        Attempt attempt = newAttempt(
                claim.isShared() ? Ballot.Kind.TURN : Ballot.Kind.CLAIM,
                queued.attempt(),
                Math.max(token, clock()),
                queued.spare(),
                callers.isEmpty() ? claimPeriod : claim.lease());
        step = attempt;
        attempt.collect(claimPeriod);
    }
}

package dev.leasehold.redis;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One claim before a quorum, from the first ballot to the end of its lease.
 *
 * <p>It begins with an attempt that asks all nodes at once. If a majority accepts the token, the lock is its; if none can,
 * whatever the attempt has got is given back on <em>all</em> nodes, also on those that seem to have given nothing, and the
 * attempt is finished: a ballot of it that is still on its way may at worst keep a node busy for one lease, and can never
 * be counted for a later attempt, which has another name.
 *
 * <p>A claim that may wait then stands in line at one node, the gate, so that those who wait do not split the nodes among
 * themselves again and again. When the gate gives it the lock, it collects the majority: it proposes a token to all nodes,
 * the gate included, and asks those that are busy again for one claim period. What the gate has given counts for nothing
 * in this: a lock rests on the majority that has accepted one and the same token, the gate is only about order. So where
 * clients disagree on the gate, or it is down, nothing worse happens than further attempts after random delays.
 */
final class QuorumClaim {

    private static final int MOST_RAISES = 5;
    private static final int MOST_SPLITS = 4;
    private static final int MOST_GATES = 2;
    private static final int MOST_HURRIES = 5;
    private static final int MOST_GATE_MISSES = 4;
    private static final long FIRST_REASK_NANOS = 1_000_000L;
    private static final long FIRST_RETURN_NANOS = 1_000_000_000L;
    private static final long MOST_RETURN_NANOS = 5_000_000_000L;
    private static final long LEAST_GRACE_NANOS = 5_000_000L;
    private static final long MOST_REASK_NANOS = 50_000_000L;

    /** What the store is told. */
    interface Owner {
        /**
         * A node may tell from now on that it has given the lock to this attempt: perhaps long after the attempt has found
         * that out by asking, and has won.
         */
        void waits(ClaimId attempt, QuorumClaim claim);

        /** Whatever a node gives to this attempt is given in vain. */
        void waitsNoLonger(ClaimId attempt);

        /** The lock was won while nobody was asking. */
        void won(LeaseId lease, int spare, Validity validity);

        /** The claim has something before the quorum, or is about to. */
        void begins(QuorumClaim claim);

        /** Nothing of the claim is left that anybody could ask for. */
        void ended(QuorumClaim claim);
    }

    private enum Phase {
        IDLE,
        LEARNING,
        ASKING,
        PRESSING,
        QUEUED,
        COLLECTING,
        RESTING,
        HELD,
        OVER
    }

    private final Quorum quorum;
    private final Owner owner;
    private final Turns turns;
    private final Runnable gateMayBeBack;
    private final GateRanks ranks;
    private final List<CompletableFuture<ClaimAnswer>> callers = new ArrayList<>();

    private Claim claim;
    private Phase phase = Phase.IDLE;
    private long aliveUntil;
    private @Nullable Poll poll;
    private ClockReading proposedAt;
    private int raises;
    private int splits;
    private int gates;
    private int hurries;
    private int gateMisses;
    private int gate = -1;
    private boolean atGate;
    private boolean aside;
    private long mostReturnNanos = FIRST_RETURN_NANOS;
    private ClaimAnswer.Busy lastBusy = new ClaimAnswer.Busy(null, null, 0);
    private @Nullable QuorumLease lease;

    private TimeSource.@Nullable Timer limit;
    private TimeSource.@Nullable Timer reask;
    private TimeSource.@Nullable Timer patience;
    private TimeSource.@Nullable Timer collecting;
    private long reaskNanos;

    QuorumClaim(Quorum quorum, Owner owner, Claim claim) {
        this.quorum = quorum;
        this.owner = owner;
        turns = new Turns(quorum::execute);
        gateMayBeBack = () -> turns.run(this::lookForTheGate);
        this.claim = claim;
        ranks = quorum.ranks(claim.lock());
        proposedAt = quorum.time().now();
    }

    Claim claim() {
        return claim;
    }

    // ---- what the engine asks ------------------------------------------------------------------------------------

    CompletableFuture<ClaimAnswer> ask(Claim again) {
        CompletableFuture<ClaimAnswer> caller = new CompletableFuture<>();
        turns.run(() -> {
            claim = again;
            aliveUntil =
                    quorum.time().nanos() + WaitingRules.aliveFor(again.lease()).toNanos();
            asked(caller);
        });
        return caller;
    }

    private void asked(CompletableFuture<ClaimAnswer> caller) {
        if (phase == Phase.OVER) {
            caller.complete(new ClaimAnswer.Busy(null, null, 0));
            return;
        }
        QuorumLease held = lease;
        if (held != null) {
            repeat(held, caller);
            return;
        }
        callers.add(caller);
        if (phase == Phase.IDLE || phase == Phase.RESTING) {
            begin();
        } else if (phase == Phase.QUEUED && !atGate) {
            askGate(clock());
        }
    }

    /** The claim was granted already: its lease is made as long as it is asked for now. */
    private void repeat(QuorumLease held, CompletableFuture<ClaimAnswer> caller) {
        held.renew(claim.lease()).whenComplete((answer, failure) -> {
            if (failure != null) {
                caller.completeExceptionally(failure);
            } else if (answer instanceof RenewAnswer.Renewed renewed) {
                caller.complete(new ClaimAnswer.Granted(leaseId(held), held.spare(), renewed.validity()));
            } else {
                turns.run(() -> {
                    if (lease == held) {
                        held.withdraw();
                        lease = null;
                        poll = null;
                        phase = Phase.IDLE;
                    }
                    asked(caller);
                });
            }
        });
    }

    CompletableFuture<RenewAnswer> renew(LeaseId wanted, Duration duration) {
        CompletableFuture<RenewAnswer> result = new CompletableFuture<>();
        turns.run(() -> {
            QuorumLease held = leaseOf(wanted);
            if (held == null) {
                result.complete(new RenewAnswer.Lost());
                return;
            }
            forward(
                    held.renew(duration).whenComplete((answer, failure) -> {
                        if (answer instanceof RenewAnswer.Lost) {
                            // A minority may still have it.
                            held.withdraw();
                            turns.run(this::end);
                        }
                    }),
                    result);
        });
        return result;
    }

    CompletableFuture<ReleaseAnswer> release(LeaseId wanted, Duration keepFor) {
        CompletableFuture<ReleaseAnswer> result = new CompletableFuture<>();
        turns.run(() -> {
            QuorumLease held = leaseOf(wanted);
            if (held == null) {
                result.complete(ReleaseAnswer.NOT_HELD);
                return;
            }
            forward(
                    held.release(keepFor).whenComplete((answer, failure) -> {
                        if (answer != null) {
                            turns.run(this::end);
                        }
                    }),
                    result);
        });
        return result;
    }

    CompletableFuture<@Nullable Void> withdraw() {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        turns.run(() -> {
            QuorumLease held = lease;
            if (held != null) {
                forward(held.withdraw(), result);
            } else if (poll != null) {
                forward(abandon(), result);
            } else {
                result.complete(null);
            }
            end();
        });
        return result;
    }

    private static <T extends @Nullable Object> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }

    private @Nullable QuorumLease leaseOf(LeaseId wanted) {
        QuorumLease held = lease;
        return held != null && held.token() == wanted.token() ? held : null;
    }

    private void end() {
        phase = Phase.OVER;
        stopTimers();
        lease = null;
        Poll last = poll;
        if (last != null) {
            owner.waitsNoLonger(last.ballot().attempt());
        }
        owner.ended(this);
        answer(new ClaimAnswer.Busy(null, null, 0));
    }

    // ---- the first attempt ---------------------------------------------------------------------------------------

    private void begin() {
        stopTimers();
        owner.begins(this);
        if (quorum.known() >= quorum.majority()) {
            attempt();
            return;
        }
        phase = Phase.LEARNING;
        @Nullable Miss[] misses = new Miss[quorum.size()];
        int[] open = {quorum.size()};
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            quorum.voter(i)
                    .look()
                    .whenComplete((view, failure) -> turns.run(() -> {
                        if (view != null) {
                            quorum.saw(node, view);
                        }
                        misses[node] = view != null ? null : Miss.of(failure);
                        open[0]--;
                        learnt(misses, open[0]);
                    }));
        }
    }

    /** With the majority one may begin; a little later, all of whom see the same nodes, and so the same gate. */
    private void learnt(@Nullable Miss[] misses, int open) {
        if (phase != Phase.LEARNING) {
            return;
        }
        if (open == 0 && quorum.known() < quorum.majority()) {
            unavailable(
                    i -> {
                        Miss miss = misses[i];
                        return miss == null ? "answered" : miss.words();
                    },
                    i -> {
                        Miss miss = misses[i];
                        return miss != null && miss.refused();
                    });
        } else if (open == 0) {
            attempt();
        } else if (quorum.known() >= quorum.majority() && limit == null) {
            limit = quorum.time()
                    .schedule(
                            quorum.settings().nodeTimeout(),
                            () -> turns.run(() -> {
                                if (phase == Phase.LEARNING) {
                                    attempt();
                                }
                            }));
        }
    }

    private void unavailable(IntFunction<String> words, IntPredicate refused) {
        phase = Phase.IDLE;
        owner.ended(this);
        List<CompletableFuture<ClaimAnswer>> all = List.copyOf(callers);
        callers.clear();
        for (CompletableFuture<ClaimAnswer> caller : all) {
            caller.completeExceptionally(QuorumFailures.noMajority(quorum, claim.lock(), words, refused));
        }
    }

    private long clock() {
        return quorum.clock().orElseThrow();
    }

    private void attempt() {
        phase = Phase.ASKING;
        raises = 0;
        ask(new Ballot(
                claim.lock(), quorum.newAttempt(claim.id()), clock(), claim.spare(), claim.lease(), Ballot.Kind.CLAIM));
    }

    /** Asks all nodes. */
    private void ask(Ballot ballot) {
        Poll fresh = new Poll(quorum.size(), quorum.majority(), ballot);
        poll = fresh;
        askAll(fresh);
    }

    private void askAll(Poll asked) {
        proposedAt = quorum.time().now();
        for (int i = 0; i < quorum.size(); i++) {
            asked.asked(i);
        }
        watch(asked);
        quorum.each(quorum.gate(ranks), node -> send(asked, node));
    }

    private void send(Poll asked, int node) {
        Ballot ballot = asked.ballot();
        quorum.voter(node)
                .vote(ballot)
                .whenComplete((vote, failure) -> turns.run(() -> voted(asked, node, ballot, vote, failure)));
    }

    private void watch(Poll asked) {
        cancel(limit);
        Duration patience = quorum.patience(claim.lease());
        long proposal = asked.ballot().token();
        limit = quorum.time()
                .schedule(
                        patience,
                        () -> turns.run(() -> {
                            if (asked == poll && proposal == asked.ballot().token()) {
                                for (int i = 0; i < quorum.size(); i++) {
                                    if (asked.isOwed(i)) {
                                        asked.missed(i, proposal, Miss.noAnswer(patience));
                                        quorum.failed(i);
                                    }
                                }
                                judge(asked);
                            }
                        }));
    }

    private void voted(Poll asked, int node, Ballot ballot, @Nullable Vote vote, @Nullable Throwable failure) {
        if (vote != null) {
            quorum.saw(node, vote.view());
        } else {
            quorum.failed(node);
        }
        if (asked != poll) {
            return;
        }
        if (vote != null) {
            asked.answered(node, ballot.token(), vote);
        } else {
            asked.missed(node, ballot.token(), Miss.of(failure));
        }
        QuorumLease held = lease;
        if (held != null) {
            if (vote != null) {
                held.late(node, vote);
            }
            return;
        }
        judge(asked);
    }

    private void judge(Poll asked) {
        if (phase == Phase.QUEUED) {
            judgeGate(asked);
            return;
        }
        if (phase != Phase.ASKING && phase != Phase.PRESSING && phase != Phase.COLLECTING) {
            return;
        }
        Poll.Verdict verdict = asked.verdict();
        boolean decided = verdict != Poll.Verdict.OPEN;
        if (isRefusedByGate(asked) && (claim.enqueue() || decided)) {
            lost(asked);
        } else if (verdict == Poll.Verdict.WON && isGateOwed(asked)) {
            waitForGate(asked);
        } else if (verdict == Poll.Verdict.WON) {
            won(asked);
        } else if (verdict == Poll.Verdict.RAISE && raises < MOST_RAISES) {
            raises++;
            asked.propose(asked.raised());
            askAll(asked);
        } else if (phase == Phase.COLLECTING || (phase == Phase.PRESSING && !asked.isHeldByOne())) {
            askAgainLater(asked);
        } else if (decided && asked.isContended()) {
            contended(asked);
        } else if (decided && !asked.isAnyOwed()) {
            lost(asked);
        }
    }

    /** Attempts have the nodes among themselves and none has a majority. The gate decides who gives way. */
    private void contended(Poll asked) {
        if (phase == Phase.PRESSING || asked.isHeldByOne()) {
            lost(asked);
        } else if (isGateOwed(asked)) {
            waitForGate(asked);
        } else if (isGivenByGate(asked)) {
            press(asked);
        } else {
            lost(asked);
        }
    }

    /**
     * Whoever holds the lock, or is before this claim in the queue: there is no way past the gate. Except where a client of
     * another kind stands there: it knows of no gate, and has the lock only if it has a majority.
     */
    private boolean isRefusedByGate(Poll asked) {
        int first = quorum.gate(ranks);
        return first >= 0 && asked.vote(first) instanceof Vote.Busy busy && !ForeignHolders.isForeign(busy.holder());
    }

    private boolean isGivenByGate(Poll asked) {
        int first = quorum.gate(ranks);
        return first >= 0 && asked.saidYes(first);
    }

    private boolean isGateOwed(Poll asked) {
        int first = quorum.gate(ranks);
        return first >= 0 && asked.isOwed(first);
    }

    /**
     * The gate has not answered yet; those who wait stand there, and it decides between attempts that have split the nodes.
     * It is waited for somewhat longer than the others took; a gate that is slower than that is passed over.
     */
    private void waitForGate(Poll asked) {
        if (patience != null) {
            return;
        }
        long taken = quorum.time().nanos() - proposedAt.nanos();
        long more = Math.min(
                Math.max(LEAST_GRACE_NANOS, 2 * taken),
                quorum.patience(claim.lease()).toNanos());
        patience = quorum.time()
                .schedule(
                        Duration.ofNanos(more),
                        () -> turns.run(() -> {
                            patience = null;
                            int first = quorum.gate(ranks);
                            if (asked == poll && lease == null && first >= 0 && asked.isOwed(first)) {
                                quorum.failed(first);
                                judge(asked);
                            }
                        }));
    }

    /**
     * The nodes are split, and this attempt has the gate: the others have been refused there, and give way. So it keeps what
     * it has and asks their nodes again, as one does whose turn it is; for one time limit of a node, since whoever has not
     * let go by then will not.
     */
    private void press(Poll asked) {
        phase = Phase.PRESSING;
        reaskNanos = FIRST_REASK_NANOS;
        collecting = quorum.time()
                .schedule(
                        quorum.patience(claim.lease()),
                        () -> turns.run(() -> {
                            if (phase == Phase.PRESSING && asked == poll) {
                                lost(asked);
                            }
                        }));
        askAgainLater(asked);
    }

    private void won(Poll asked) {
        stopTimers();
        QuorumLease held = new QuorumLease(quorum, turns, ranks, asked.ballot(), asked);
        Validity validity = held.validity(proposedAt, claim.lease());
        if (validity == null) {
            lost(asked);
            return;
        }
        phase = Phase.HELD;
        lease = held;
        if (callers.isEmpty()) {
            owner.won(leaseId(held), held.spare(), validity);
        } else if (asked.ballot().lease().compareTo(claim.lease()) < 0) {
            List<CompletableFuture<ClaimAnswer>> all = List.copyOf(callers);
            callers.clear();
            all.forEach(caller -> repeat(held, caller));
        } else {
            answer(new ClaimAnswer.Granted(leaseId(held), held.spare(), validity));
        }
    }

    private LeaseId leaseId(QuorumLease held) {
        return new LeaseId(claim.lock(), claim.id(), held.token());
    }

    /** The attempt has failed: what it has got is given back everywhere, and it is never heard of again. */
    private void lost(Poll asked) {
        boolean contended = isRefusedByGate(asked) || asked.isContended();
        boolean hasty =
                quorum.patience(claim.lease()).compareTo(quorum.settings().nodeTimeout()) < 0;
        boolean settled = asked.isHeldByOne() || isRefusedByGate(asked) || isGivenByGate(asked);
        lastBusy = new ClaimAnswer.Busy(asked.holder(), asked.timeLeft(), 0);
        ClockReading now = quorum.time().now();
        abandon();
        if (!contended) {
            boolean again = callers.isEmpty() ? isAlive() : hasty && ++hurries < MOST_HURRIES;
            if (again) {
                retryLater();
            } else {
                hurries = 0;
                unavailable(i -> asked.words(i, now), asked::isRefused);
            }
        } else if (claim.enqueue()) {
            hurries = 0;
            gates = 0;
            join();
        } else if (settled || ++splits >= MOST_SPLITS) {
            phase = Phase.IDLE;
            splits = 0;
            owner.ended(this);
            answer(lastBusy);
        } else {
            retryLater();
        }
    }

    private boolean isAlive() {
        return quorum.time().nanos() - aliveUntil < 0 && !quorum.isClosed();
    }

    private CompletableFuture<@Nullable Void> abandon() {
        stopTimers();
        Poll failed = poll;
        poll = null;
        if (failed == null) {
            return CompletableFuture.completedFuture(null);
        }
        owner.waitsNoLonger(failed.ballot().attempt());
        return Sweep.all(quorum, claim.lock(), failed.ballot().attempt(), node -> failed.vote(node) == null);
    }

    /** Says that the lock is busy, and goes on trying in the background. */
    private void rest() {
        answer(lastBusy);
        retryLater();
    }

    /** Tries again after a random delay, so that those who have split the nodes do not do it again. */
    private void retryLater() {
        phase = Phase.RESTING;
        long most = quorum.patience(claim.lease()).toNanos() * (2L + Math.min(splits, 4));
        long delay = (long) (most * (0.1 + 0.9 * quorum.random().nextDouble()));
        limit = quorum.time()
                .schedule(
                        Duration.ofNanos(delay),
                        () -> turns.run(() -> {
                            if (phase != Phase.RESTING) {
                                return;
                            }
                            if (callers.isEmpty() && !isAlive()) {
                                phase = Phase.IDLE;
                            } else {
                                begin();
                            }
                        }));
    }

    // ---- standing in line at the gate ----------------------------------------------------------------------------

    private void join() {
        phase = Phase.QUEUED;
        gate = quorum.gate(ranks);
        if (gate < 0 || gates++ >= MOST_GATES) {
            rest();
            return;
        }
        raises = 0;
        gateMisses = 0;
        Ballot ballot = new Ballot(
                claim.lock(), quorum.newAttempt(claim.id()), clock(), claim.spare(), claim.lease(), Ballot.Kind.QUEUE);
        poll = new Poll(quorum.size(), quorum.majority(), ballot);
        owner.waits(ballot.attempt(), this);
        askGate(ballot.token());
    }

    private void askGate(long proposal) {
        Poll asked = poll;
        if (asked == null) {
            return;
        }
        atGate = true;
        asked.propose(proposal);
        asked.asked(gate);
        watch(asked);
        CompletableFuture<?> listening = quorum.voter(gate).listen(claim.lock()).toCompletableFuture();
        if (listening.isDone() && !listening.isCompletedExceptionally()) {
            send(asked, gate);
            return;
        }
        // In the meantime it may have been withdrawn.
        listening.whenComplete((done, failure) -> turns.run(() -> {
            if (asked != poll) {
                return;
            }
            if (failure == null) {
                send(asked, gate);
            } else {
                voted(asked, gate, asked.ballot(), null, failure);
            }
        }));
    }

    private void judgeGate(Poll asked) {
        if (!atGate || asked.isOwed(gate)) {
            return;
        }
        atGate = false;
        cancel(limit);
        Vote vote = asked.vote(gate);
        gateMisses = vote == null ? gateMisses : 0;
        if (vote instanceof Vote.Busy busy) {
            gates = 0;
            lastBusy = new ClaimAnswer.Busy(busy.holder(), busy.timeLeft(), busy.place());
            answer(lastBusy);
            lookForTheGate();
        } else if (vote instanceof Vote.Yes yes) {
            collect(yes.token());
        } else if (vote instanceof Vote.Stale stale && raises++ < MOST_RAISES) {
            askGate(stale.last() + 1);
        } else if (vote instanceof Vote.TooFar far && raises++ < MOST_RAISES) {
            askGate(far.most());
        } else if (vote == null && ++gateMisses < MOST_GATE_MISSES && quorum.gate(ranks) == gate) {
            askGate(asked.ballot().token());
        } else {
            abandon();
            join();
        }
    }

    /**
     * Who stands at another gate, because the right one was not heard of, goes back when it is: there stand all who have never
     * missed it. But not all at once, and the later the more often that was in vain: what answers one question need not be fit
     * for standing there.
     */
    private void lookForTheGate() {
        if (phase != Phase.QUEUED || atGate) {
            return;
        }
        boolean right = quorum.gateOfOthers(ranks) == gate;
        if (right) {
            mostReturnNanos = FIRST_RETURN_NANOS;
        }
        if (right && quorum.known() == quorum.size()) {
            forgetTheGate();
            return;
        }
        if (!aside) {
            aside = true;
            quorum.silentGates().watch(gateMayBeBack);
        }
        if (reask != null || !isAnotherGate()) {
            return;
        }
        Poll asked = poll;
        long delay = (long) (mostReturnNanos * (0.1 + 0.9 * quorum.random().nextDouble()));
        reask = quorum.time()
                .schedule(
                        Duration.ofNanos(delay),
                        () -> turns.run(() -> {
                            if (asked != poll || phase != Phase.QUEUED) {
                                return;
                            }
                            reask = null;
                            if (!atGate && isAnotherGate()) {
                                mostReturnNanos = Math.min(MOST_RETURN_NANOS, 2 * mostReturnNanos);
                                abandon();
                                join();
                            }
                        }));
    }

    private void forgetTheGate() {
        if (aside) {
            aside = false;
            quorum.silentGates().forget(gateMayBeBack);
        }
    }

    private boolean isAnotherGate() {
        int now = quorum.gate(ranks);
        return now >= 0 && now != gate;
    }

    /** The gate has given the lock to an attempt, unasked. */
    void granted(ClaimId attempt, long token) {
        turns.run(() -> {
            Poll asked = poll;
            if (phase == Phase.QUEUED
                    && asked != null
                    && attempt.equals(asked.ballot().attempt())) {
                atGate = false;
                collect(token);
            }
        });
    }

    private void collect(long token) {
        Poll queued = poll;
        if (queued == null) {
            return;
        }
        stopTimers();
        phase = Phase.COLLECTING;
        raises = 0;
        reaskNanos = FIRST_REASK_NANOS;
        Ballot before = queued.ballot();
        Ballot ballot = new Ballot(
                before.lock(),
                before.attempt(),
                Math.max(token, clock()),
                before.spare(),
                callers.isEmpty() ? WaitingRules.claimPeriod(claim.lease()) : claim.lease(),
                Ballot.Kind.CLAIM);
        collecting = quorum.time()
                .schedule(
                        WaitingRules.claimPeriod(claim.lease()),
                        () -> turns.run(() -> {
                            Poll asked = poll;
                            if (phase == Phase.COLLECTING
                                    && asked != null
                                    && asked.ballot().attempt().equals(ballot.attempt())) {
                                lost(asked);
                            }
                        }));
        ask(ballot);
    }

    private void askAgainLater(Poll asked) {
        if (reask != null) {
            return;
        }
        reask = quorum.time()
                .schedule(
                        Duration.ofNanos(reaskNanos),
                        () -> turns.run(() -> {
                            reask = null;
                            if (asked != poll || (phase != Phase.COLLECTING && phase != Phase.PRESSING)) {
                                return;
                            }
                            if (asked.verdict() == Poll.Verdict.RAISE) {
                                asked.propose(asked.raised());
                                askAll(asked);
                                return;
                            }
                            List<Integer> again = new ArrayList<>();
                            for (int i = 0; i < quorum.size(); i++) {
                                if (!asked.isOwed(i) && !asked.saidYes(i)) {
                                    asked.asked(i);
                                    again.add(i);
                                }
                            }
                            if (!again.isEmpty()) {
                                watch(asked);
                                again.forEach(node -> send(asked, node));
                            }
                        }));
        reaskNanos = Math.min(MOST_REASK_NANOS, reaskNanos * 2);
    }

    private void answer(ClaimAnswer answer) {
        List<CompletableFuture<ClaimAnswer>> all = List.copyOf(callers);
        callers.clear();
        all.forEach(caller -> caller.complete(answer));
    }

    private void stopTimers() {
        cancel(limit);
        cancel(reask);
        cancel(patience);
        cancel(collecting);
        limit = null;
        reask = null;
        patience = null;
        collecting = null;
        atGate = false;
        forgetTheGate();
    }

    private static void cancel(TimeSource.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}

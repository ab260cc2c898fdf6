package dev.leasehold.redis.quorum;

import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.SerialExecutor;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A quorum lease was granted by a majority; it knows which nodes have it, and until when. Used by tasks of its claim's
 * serial executor only.
 *
 * <p>A renewal is confirmed as soon as a majority has confirmed it. It is lost as soon as so many nodes have said that
 * they do not have it that no majority can be left. In between only the deadlines that were confirmed before are known,
 * and the lease lives until those. Once a majority has confirmed, nodes that have lost the lease and are free are
 * given the lease again: that is safe then, and only then, since the majority kept every other attempt from winning, and the
 * node accepts it only if it has seen no token beyond the end of the run. A reader is also given one that other readers
 * have, and there a writer's token alone speaks against it: the majority has kept out writers, and no others.
 */
final class QuorumLease {

    /** A renewal offers the lease this many times to a node that other claims have taken in the meantime. */
    private static final int OFFERS = 8;

    private final Quorum quorum;
    private final SerialExecutor serial;
    private final VoteCount count;
    private final String lock;
    private final GateSelection gateSelection;
    private final ClaimId attempt;
    private final boolean shares;
    private final long token;
    private final int spare;
    private final NodeDeadlines deadlines;
    private final boolean[] has;
    private final boolean[] released;
    private long longestNanos;
    private boolean over;

    QuorumLease(Quorum quorum, SerialExecutor serial, GateSelection gateSelection, Ballot won, VoteCount count) {
        this.quorum = quorum;
        this.serial = serial;
        this.gateSelection = gateSelection;
        this.count = count;
        lock = won.lock();
        attempt = won.attempt();
        shares = won.shares();
        token = won.token();
        spare = won.spare();
        longestNanos = won.lease().toNanos();
        deadlines = new NodeDeadlines(quorum.majority(), count.validities());
        has = new boolean[quorum.size()];
        released = new boolean[quorum.size()];
        for (int i = 0; i < has.length; i++) {
            has[i] = count.saidYes(i);
        }
    }

    long token() {
        return token;
    }

    int spare() {
        return spare;
    }

    /**
     * Returns the validity by the longest lease that was asked for: a renewal that is only a question asks for next to
     * nothing.
     */
    @Nullable Validity validity(ClockReading round, Duration lease) {
        longestNanos = Math.max(longestNanos, lease.toNanos());
        return deadlines.ofMajority(round, longestNanos / 10);
    }

    /** Counts a vote for the proposal that has won already. */
    void late(int node, Vote vote) {
        if (vote instanceof Vote.Yes yes && yes.token() == token) {
            has[node] = true;
            deadlines.confirm(node, yes.validity());
        }
    }

    /** A node state is the state of a node in one round of renewal. */
    private enum NodeState {
        OPEN,
        CONFIRMED,
        GONE,
        GONE_AND_FREE,
        OFFERED,
        FAILED
    }

    /** A renewal is one round of it. */
    private final class Renewal {
        final ClockReading sentAt = quorum.time().now();
        final Duration lease;
        final CompletableFuture<RenewAnswer> result = new CompletableFuture<>();
        final NodeState[] states = new NodeState[quorum.size()];
        final String[] words = new String[quorum.size()];
        TimeSource.@Nullable Timer timer;

        Renewal(Duration lease) {
            this.lease = lease;
            Arrays.fill(states, NodeState.OPEN);
            Arrays.fill(words, QuorumFailures.noAnswer(quorum.settings().nodeTimeout()));
        }

        int count(NodeState wanted) {
            int count = 0;
            for (NodeState state : states) {
                count += state == wanted ? 1 : 0;
            }
            return count;
        }
    }

    CompletableFuture<RenewAnswer> renew(Duration lease) {
        Renewal round = new Renewal(lease);
        if (over) {
            round.result.complete(new RenewAnswer.Lost());
            return round.result;
        }
        round.timer = quorum.time().schedule(quorum.settings().nodeTimeout(), () -> serial.execute(() -> late(round)));
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            quorum.voter(i)
                    .renew(lock, attempt, token, lease)
                    .whenComplete((vote, failure) -> serial.execute(() -> voted(round, node, vote, failure)));
        }
        return round.result;
    }

    private void voted(Renewal round, int node, @Nullable RenewVote vote, @Nullable Throwable failure) {
        if (vote != null) {
            quorum.saw(node, vote.status());
        } else {
            quorum.failed(node);
        }
        if (vote instanceof RenewVote.Renewed renewed) {
            has[node] = true;
            deadlines.confirm(node, renewed.validity());
            round.states[node] = NodeState.CONFIRMED;
            round.words[node] = "confirmed";
        } else if (vote instanceof RenewVote.Gone gone) {
            has[node] = false;
            deadlines.gone(node);
            round.states[node] = gone.free() ? NodeState.GONE_AND_FREE : NodeState.GONE;
            round.words[node] = "does not have the lease";
        } else {
            round.states[node] = NodeState.FAILED;
            round.words[node] = vote == null ? QuorumFailures.words(failure) : "has no vote";
        }
        judge(round);
    }

    private void late(Renewal round) {
        for (int i = 0; i < quorum.size(); i++) {
            if (round.states[i] == NodeState.OPEN) {
                round.states[i] = NodeState.FAILED;
            }
        }
        judge(round);
    }

    private void judge(Renewal round) {
        int gone = round.count(NodeState.GONE) + round.count(NodeState.GONE_AND_FREE) + round.count(NodeState.OFFERED);
        boolean confirmed = round.count(NodeState.CONFIRMED) >= quorum.majority();
        Validity validity = confirmed ? validity(round.sentAt, round.lease) : null;
        if (validity != null) {
            settle(round, new RenewAnswer.Renewed(validity));
            topUp(round, validity);
        } else if (gone > quorum.size() - quorum.majority()) {
            settle(round, new RenewAnswer.Lost());
        } else if (round.count(NodeState.OPEN) == 0 && !round.result.isDone()) {
            cancelTimer(round.timer);
            round.result.completeExceptionally(QuorumFailures.unanswered(
                    quorum,
                    "the renewal of '" + lock + "' was not confirmed by a majority of " + quorum
                            + "; the lease ends at its deadline unless one confirms it before",
                    Outcome.UNKNOWN,
                    i -> round.words[i]));
        }
    }

    private static void cancelTimer(TimeSource.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    private static void settle(Renewal round, RenewAnswer answer) {
        cancelTimer(round.timer);
        round.result.complete(answer);
    }

    private void topUp(Renewal round, Validity validity) {
        for (int i = 0; i < quorum.size(); i++) {
            int node = i;
            if (round.states[i] == NodeState.GONE_AND_FREE) {
                offer(round, validity, node, OFFERS);
            } else if (round.states[i] == NodeState.GONE) {
                offerLater(round, validity, node, OFFERS);
            }
            if (round.states[i] == NodeState.GONE || round.states[i] == NodeState.GONE_AND_FREE) {
                round.states[i] = NodeState.OFFERED;
            }
        }
    }

    /**
     * Offers a node the lease that it has lost. A lease that is over for its holder is offered no more, and is removed where
     * an offer has crossed its end.
     */
    private void offer(Renewal round, Validity validity, int node, int offers) {
        if (over || has[node] || validity.isOver(quorum.time().nanos())) {
            return;
        }
        Ballot ballot = new Ballot(lock, attempt, shares, token, spare, round.lease, Ballot.Kind.TOP_UP);
        quorum.voter(node)
                .vote(ballot)
                .whenComplete((vote, failure) -> serial.execute(() -> {
                    if (over && !(vote instanceof Vote.Busy)) {
                        AttemptCleanup.one(quorum, lock, attempt, node, vote == null);
                    } else if (vote instanceof Vote.Busy && offers > 1) {
                        offerLater(round, validity, node, offers - 1);
                    } else if (vote != null) {
                        late(node, vote);
                    }
                }));
    }

    /** Attempts of others come and go there: a moment chosen at random finds the node free between two of them. */
    private void offerLater(Renewal round, Validity validity, int node, int offers) {
        double part = (0.1 + 0.9 * quorum.random().nextDouble()) / (4 * OFFERS);
        Duration pause = Duration.ofNanos((long) (round.lease.toNanos() * part));
        quorum.time().schedule(pause, () -> serial.execute(() -> offer(round, validity, node, offers)));
    }

    private boolean isUnanswered(int node) {
        return count.vote(node) == null;
    }

    /** A release is one round of it. */
    private final class Release {
        final CompletableFuture<ReleaseAnswer> result = new CompletableFuture<>();
        final @Nullable String[] words = new String[quorum.size()];
        final int gate = quorum.gate(gateSelection);
        boolean gateAnswered;
        int notHeld;
        int open = quorum.size();
        TimeSource.@Nullable Timer timer;

        Release() {
            result.whenComplete((answer, failure) -> cancelTimer(timer));
        }
    }

    CompletableFuture<ReleaseAnswer> release(Duration keepFor) {
        over = true;
        Release round = new Release();
        round.timer =
                quorum.time().schedule(quorum.settings().nodeTimeout(), () -> serial.execute(() -> giveUp(round)));
        quorum.each(
                round.gate,
                node -> (has[node]
                                ? quorum.voter(node).release(lock, attempt, token, keepFor)
                                : quorum.voter(node).withdraw(lock, attempt))
                        .whenComplete((found, failure) -> serial.execute(() -> ended(round, node, found, failure))));
        return round.result;
    }

    private void ended(Release round, int node, @Nullable Boolean found, @Nullable Throwable failure) {
        round.open--;
        round.gateAnswered |= node == round.gate;
        if (found == null) {
            round.words[node] = QuorumFailures.words(failure);
            quorum.failed(node);
            AttemptCleanup.one(quorum, lock, attempt, node, isUnanswered(node));
        } else {
            quorum.heard(node);
            if (isUnanswered(node)) {
                // Its ballot may have been left behind on an earlier connection, and arrive after this.
                AttemptCleanup.one(quorum, lock, attempt, node, true);
            }
            released[node] |= found;
            round.words[node] = released[node] ? "released" : "was not held";
            round.notHeld += released[node] ? 0 : 1;
        }
        // As long as the gate has it, a caller that only tries finds the lock busy.
        boolean gateKnows = round.gate < 0 || round.gateAnswered;
        if (isReleased() && (gateKnows || round.open == 0)) {
            round.result.complete(ReleaseAnswer.RELEASED);
        } else if (round.notHeld > quorum.size() - quorum.majority()) {
            round.result.complete(ReleaseAnswer.NOT_HELD);
        } else if (round.open == 0) {
            giveUp(round);
        }
    }

    private boolean isReleased() {
        int done = 0;
        for (boolean one : released) {
            done += one ? 1 : 0;
        }
        return done >= quorum.majority();
    }

    private void giveUp(Release round) {
        if (isReleased()) {
            round.result.complete(ReleaseAnswer.RELEASED);
        } else if (!round.result.isDone()) {
            round.result.completeExceptionally(QuorumFailures.unanswered(
                    quorum,
                    "the release of '" + lock + "' was not confirmed by a majority of " + quorum
                            + "; it is repeated, and the lease runs out at the latest",
                    Outcome.UNKNOWN,
                    i -> round.words[i] == null
                            ? QuorumFailures.noAnswer(quorum.settings().nodeTimeout())
                            : String.valueOf(round.words[i])));
        }
    }

    /** Ends it wherever it may be, because its claim is withdrawn. */
    CompletableFuture<@Nullable Void> withdraw() {
        over = true;
        return AttemptCleanup.all(quorum, lock, attempt, false, node -> isUnanswered(node));
    }
}

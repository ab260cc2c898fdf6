package dev.leasehold.redis.quorum;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A vote count counts the votes for one attempt: it is pure, without clocks or messages.
 *
 * <p>Only an answer to the present proposal counts. A node that said yes to an earlier one has since been asked to raise
 * its token, and until it has said yes to that its last token may lie below the end of the run: another majority could
 * then be given a token in between. So a proposal is won or not won as a whole, and raising it starts the count anew.
 */
final class VoteCount {

    /** A verdict is the present result of the count. */
    enum Verdict {
        /** Answers are still owed that matter. */
        OPEN,
        /** A majority has said yes. */
        WON,
        /** No majority can say yes to this proposal, but one may to {@link #raised()}. */
        RAISE,
        /** No majority can say yes. */
        FAILED
    }

    private final int majority;
    private final @Nullable Vote[] votes;
    private final @Nullable NodeFailure[] failures;
    private final boolean[] owed;
    private Ballot ballot;

    VoteCount(int nodes, int majority, Ballot ballot) {
        this.majority = majority;
        this.ballot = ballot;
        votes = new Vote[nodes];
        failures = new NodeFailure[nodes];
        owed = new boolean[nodes];
    }

    Ballot ballot() {
        return ballot;
    }

    /** Begins anew with another proposal. */
    void propose(long token) {
        ballot = ballot.with(token);
        Arrays.fill(votes, null);
        Arrays.fill(failures, null);
        Arrays.fill(owed, false);
    }

    void asked(int node) {
        owed[node] = true;
    }

    boolean isAnyOwed() {
        for (boolean one : owed) {
            if (one) {
                return true;
            }
        }
        return false;
    }

    boolean isOwed(int node) {
        return owed[node];
    }

    /** Takes an answer to a ballot with a given proposal. */
    void answered(int node, long proposal, Vote vote) {
        boolean another = vote instanceof Vote.Yes yes && yes.token() != ballot.token();
        if (proposal == ballot.token() && !another) {
            owed[node] = false;
            failures[node] = null;
            votes[node] = vote;
        }
    }

    /** Notes that there is no answer to a ballot with a given proposal, at least not in time. */
    void missed(int node, long proposal, NodeFailure why) {
        if (proposal == ballot.token() && owed[node]) {
            owed[node] = false;
            failures[node] = why;
        }
    }

    boolean saidYes(int node) {
        return votes[node] instanceof Vote.Yes;
    }

    @Nullable Vote vote(int node) {
        return votes[node];
    }

    Verdict verdict() {
        if (yes() >= majority) {
            return Verdict.WON;
        }
        if (acceptors(ballot.token()) >= majority) {
            return Verdict.OPEN;
        }
        return acceptors(raised()) >= majority ? Verdict.RAISE : Verdict.FAILED;
    }

    private int yes() {
        int count = 0;
        for (Vote vote : votes) {
            count += vote instanceof Vote.Yes ? 1 : 0;
        }
        return count;
    }

    /** Returns the proposal that most nodes can accept, as far as their answers show; of several the smallest. */
    long raised() {
        TreeSet<Long> candidates = new TreeSet<>();
        candidates.add(ballot.token());
        for (Vote vote : votes) {
            if (vote instanceof Vote.Stale stale) {
                candidates.add(stale.last() + 1);
            } else if (vote instanceof Vote.TooFar far) {
                candidates.add(far.most());
            }
        }
        long best = ballot.token();
        for (long candidate : candidates) {
            best = acceptors(candidate) > acceptors(best) ? candidate : best;
        }
        return best;
    }

    private int acceptors(long token) {
        int count = 0;
        for (int i = 0; i < votes.length; i++) {
            Vote vote = votes[i];
            boolean accepts = owed[i]
                    || (vote instanceof Vote.Yes && token >= ballot.token())
                    || (vote instanceof Vote.Stale stale && token > stale.last())
                    || (vote instanceof Vote.TooFar far && token <= far.most());
            count += accepts ? 1 : 0;
        }
        return count;
    }

    /**
     * Returns whether a majority has answered, so that other attempts stand in the way and not the nodes: those have the
     * lock there, or have made the proposal stale once more.
     */
    boolean isContended() {
        int answers = 0;
        int busy = 0;
        for (Vote vote : votes) {
            answers += vote == null || vote instanceof Vote.NoVote ? 0 : 1;
            busy += vote instanceof Vote.Busy ? 1 : 0;
        }
        return answers >= majority && (busy > 0 || verdict() == Verdict.RAISE);
    }

    /** Returns whether one and the same holder has a majority of the nodes. */
    boolean isHeldByOne() {
        HolderInfo holder = holder();
        int count = 0;
        for (Vote vote : votes) {
            count += holder != null && vote instanceof Vote.Busy busy && isSame(holder, busy.holder()) ? 1 : 0;
        }
        return count >= majority;
    }

    /** Returns the holder that has most of the busy nodes. */
    @Nullable HolderInfo holder() {
        Map<String, Integer> counts = new HashMap<>();
        HolderInfo most = null;
        int mostCount = 0;
        for (Vote vote : votes) {
            HolderInfo holder = vote instanceof Vote.Busy busy ? busy.holder() : null;
            if (holder != null) {
                int count = counts.merge(holder.owner() + '|' + holder.token(), 1, Integer::sum);
                if (count > mostCount) {
                    mostCount = count;
                    most = holder;
                }
            }
        }
        return most;
    }

    private static boolean isSame(HolderInfo one, @Nullable HolderInfo other) {
        return other != null && one.token() == other.token() && one.owner().equals(other.owner());
    }

    /** Returns when a majority is free if the holders do nothing more; null if that is unknown. */
    @Nullable Duration timeLeft() {
        List<Duration> ends = new ArrayList<>();
        for (Vote vote : votes) {
            if (vote instanceof Vote.Busy busy) {
                Duration left = busy.timeLeft();
                if (left != null) {
                    ends.add(left);
                }
            } else if (vote != null && !(vote instanceof Vote.NoVote)) {
                ends.add(Duration.ZERO);
            }
        }
        ends.sort(null);
        return ends.size() >= majority ? ends.get(majority - 1) : null;
    }

    /** Returns the deadlines of the nodes that said yes; null for the others. */
    @Nullable Validity[] validities() {
        @Nullable Validity[] all = new Validity[votes.length];
        for (int i = 0; i < votes.length; i++) {
            all[i] = votes[i] instanceof Vote.Yes yes ? yes.validity() : null;
        }
        return all;
    }

    /** Returns whether a node has refused in a way that trying again does not change. */
    boolean isRefused(int node) {
        NodeFailure failure = failures[node];
        return failure != null && failure.refused();
    }

    /** Returns a node's answer in words. */
    String words(int node, ClockReading now) {
        Vote vote = votes[node];
        NodeFailure failure = failures[node];
        if (failure != null) {
            return failure.words();
        }
        if (vote instanceof Vote.Yes) {
            return "granted";
        }
        if (vote instanceof Vote.Stale stale) {
            return "stale: it has seen token " + stale.last();
        }
        if (vote instanceof Vote.TooFar far) {
            return "too far: it accepts no token above " + far.most();
        }
        if (vote instanceof Vote.Busy busy) {
            HolderInfo holder = busy.holder();
            return holder == null ? "busy" : "busy with " + holder.owner() + ", token " + holder.token();
        }
        if (vote instanceof Vote.NoVote none) {
            return noVote(none.status().noVoteLeft(now.nanos()));
        }
        return owed[node] ? "no answer yet" : "not asked";
    }

    private static String noVote(Duration left) {
        return "no vote for another " + (left.toMillis() + 999) / 1000 + " s";
    }
}

package dev.leasehold.redis.quorum;

import dev.leasehold.internal.SerialExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A ballot round sends ballots for one attempt, and its {@link VoteCount} counts each answer, failure, or missing answer.
 * Used by tasks of a claim's serial executor only.
 */
final class BallotRound {

    /** A listener hears of results that the count includes already; it hears of them also when the attempt is over. */
    interface Listener {
        /** A node has answered. */
        void answered(int node, Vote vote);

        /** One node or several have given no answer that counts. */
        void missed();
    }

    private final Quorum quorum;
    private final SerialExecutor serial;
    private final VoteCount count;
    private final Duration nodeTimeout;
    private final Listener listener;
    private final SerialTimer limit;

    /**
     * Makes one that has sent nothing yet.
     *
     * @param nodeTimeout how long a node's answer is waited for, whatever the claim asks for later
     */
    BallotRound(Quorum quorum, SerialExecutor serial, Ballot first, Duration nodeTimeout, Listener listener) {
        this.quorum = quorum;
        this.serial = serial;
        this.nodeTimeout = nodeTimeout;
        this.listener = listener;
        count = new VoteCount(quorum.size(), quorum.majority(), first);
        limit = new SerialTimer(quorum.time(), serial);
    }

    VoteCount count() {
        return count;
    }

    Duration nodeTimeout() {
        return nodeTimeout;
    }

    /** Asks all nodes. */
    void askAll(int gate) {
        for (int i = 0; i < quorum.size(); i++) {
            count.asked(i);
        }
        watch();
        quorum.each(gate, this::send);
    }

    /** Asks some nodes again, or for the first time. */
    void ask(List<Integer> nodes) {
        nodes.forEach(count::asked);
        watch();
        nodes.forEach(this::send);
    }

    /** Waits for the answer of a node that is yet to be sent its ballot. */
    void expect(int node) {
        count.asked(node);
        watch();
    }

    private void watch() {
        limit.set(nodeTimeout, () -> {
            for (int i = 0; i < quorum.size(); i++) {
                if (count.isOwed(i)) {
                    count.missed(i, count.ballot().token(), NodeFailure.noAnswer(nodeTimeout));
                    quorum.failed(i);
                }
            }
            listener.missed();
        });
    }

    void send(int node) {
        Ballot ballot = count.ballot();
        quorum.voter(node)
                .vote(ballot)
                .whenComplete((vote, failure) -> serial.execute(() -> {
                    if (vote == null) {
                        failed(node, ballot, failure);
                    } else {
                        quorum.saw(node, vote.status());
                        count.answered(node, ballot.token(), vote);
                        listener.answered(node, vote);
                    }
                }));
    }

    void failed(int node, Ballot ballot, @Nullable Throwable failure) {
        quorum.failed(node);
        count.missed(node, ballot.token(), NodeFailure.of(failure));
        listener.missed();
    }

    /** No answer is waited for any longer. Those that come are counted. */
    void stop() {
        limit.stop();
    }

    /**
     * Ends the attempt on all nodes.
     *
     * @param failed see {@link AttemptCleanup#all}
     */
    CompletableFuture<@Nullable Void> cleanUp(boolean failed) {
        Ballot ballot = count.ballot();
        return AttemptCleanup.all(quorum, ballot.lock(), ballot.attempt(), failed, node -> count.vote(node) == null);
    }
}

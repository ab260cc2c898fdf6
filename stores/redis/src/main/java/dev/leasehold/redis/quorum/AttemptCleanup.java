package dev.leasehold.redis.quorum;

import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * An attempt cleanup is the removal of an attempt from the nodes, also from those that have not answered or have answered
 * with an error. Where a ballot may still be on its way, the node is asked once more when it no longer can be; where a node
 * does not answer, it is asked again until nothing can be left there any more.
 */
final class AttemptCleanup {

    private static final long FIRST_PAUSE_NANOS = 50_000_000L;
    private static final long MOST_PAUSE_NANOS = 1_000_000_000L;

    private final Quorum quorum;
    private final String lock;
    private final ClaimId attempt;
    private final boolean failed;
    private final long pointlessAt;

    private AttemptCleanup(Quorum quorum, String lock, ClaimId attempt, boolean failed) {
        this.quorum = quorum;
        this.lock = lock;
        this.attempt = attempt;
        this.failed = failed;
        Duration horizon = quorum.settings().requestHorizon();
        Duration longest = quorum.settings().maxLease().plus(horizon).plus(horizon);
        pointlessAt = quorum.time().nanos() + longest.toNanos();
    }

    /**
     * Removes the attempt from all nodes.
     *
     * @param failed whether the attempt has never been granted the lock and never will be, whatever is still answered; it
     *     then takes back the last tokens that it has raised
     * @param unanswered whether a ballot to this node has not been answered
     * @return completes when each node has been asked once, and has answered or failed to
     */
    static CompletableFuture<@Nullable Void> all(
            Quorum quorum, String lock, ClaimId attempt, boolean failed, IntPredicate unanswered) {
        AttemptCleanup cleanup = new AttemptCleanup(quorum, lock, attempt, failed);
        CompletableFuture<?>[] firsts = new CompletableFuture<?>[quorum.size()];
        for (int i = 0; i < quorum.size(); i++) {
            firsts[i] = cleanup.node(i, unanswered.test(i), 0);
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        CompletableFuture.allOf(firsts).whenComplete((all, failure) -> done.complete(null));
        return done;
    }

    /** Removes an attempt that may have been a lease from one node. */
    static void one(Quorum quorum, String lock, ClaimId attempt, int node, boolean unanswered) {
        new AttemptCleanup(quorum, lock, attempt, false).node(node, unanswered, 0);
    }

    private CompletableFuture<@Nullable Void> node(int node, boolean unanswered, int failures) {
        CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
        Voter voter = quorum.voter(node);
        CompletionStage<Boolean> answer = failed ? voter.abandon(lock, attempt) : voter.withdraw(lock, attempt);
        answer.whenComplete((found, failure) -> {
            if (failure == null) {
                quorum.heard(node);
            }
            if (failure != null) {
                again(node, unanswered, failures + 1, pause(failures));
            } else if (unanswered && !quorum.settings().requestHorizon().isZero()) {
                again(node, false, failures, quorum.settings().requestHorizon().toNanos());
            }
            first.complete(null);
        });
        return first;
    }

    private void again(int node, boolean unanswered, int failures, long pause) {
        if (quorum.time().nanos() + pause - pointlessAt < 0 && !quorum.isClosed()) {
            quorum.time().schedule(Duration.ofNanos(pause), () -> node(node, unanswered, failures));
        }
    }

    private static long pause(int failures) {
        return Math.min(MOST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(failures, 5));
    }
}

package dev.leasehold.redis.quorum;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.internal.Causes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** QuorumFailures says which node of a quorum answered what when there was no majority. */
public final class QuorumFailures {

    private QuorumFailures() {}

    /**
     * No majority could be asked for a lock, which is not held.
     *
     * @param refused which nodes have refused for good
     */
    static LockException noMajority(Quorum quorum, String lock, IntFunction<String> words, IntPredicate refused) {
        @Nullable String[] down = new String[quorum.size()];
        int refusals = 0;
        int unreachable = 0;
        for (int i = 0; i < quorum.size(); i++) {
            down[i] = quorum.voter(i).downBecause();
            if (refused.test(i)) {
                refusals++;
            } else if (down[i] != null || quorum.isSilent(i)) {
                unreachable++;
            }
        }
        IntFunction<String> known =
                i -> down[i] == null || refused.test(i) ? words.apply(i) : "no connection can be made: " + down[i];
        if (quorum.size() - refusals < quorum.majority()) {
            return new LockException("so many masters of " + quorum + " refuse the claim of '" + lock
                    + "' that there can be no majority; the lock is not held (" + joined(quorum.answers(known)) + ")");
        }
        return unanswered(
                quorum,
                "no majority of " + quorum + " can be reached for the claim of '" + lock + "'; the lock is not held",
                Outcome.NOT_CARRIED_OUT,
                known,
                quorum.size() - refusals - unreachable < quorum.majority());
    }

    static StoreUnavailableException unanswered(
            Quorum quorum, String what, Outcome outcome, IntFunction<String> words) {
        return unanswered(quorum, what, outcome, words, false);
    }

    private static StoreUnavailableException unanswered(
            Quorum quorum, String what, Outcome outcome, IntFunction<String> words, boolean lasting) {
        List<NodeAnswer> nodes = quorum.answers(words);
        Duration backIn = votesAreBackIn(quorum);
        String votes = backIn == null
                ? ""
                : ". A master that was started, flushed or resynchronised has no vote until every lease that it may have "
                        + "forgotten is over; a majority will have one in " + seconds(backIn)
                        + ". If this quorum is new, `leasehold quorum init` opens it at once";
        List<Throwable> down = quorum.voters().stream()
                .map(Voter::downCause)
                .filter(Objects::nonNull)
                .map(Causes::of)
                .toList();
        // Where a majority can be reached, it is not for want of those that are down.
        boolean isWhy = quorum.size() - down.size() < quorum.majority();
        StoreUnavailableException failure = new StoreUnavailableException(
                what + " (" + joined(nodes) + ")" + votes,
                quorum.toString(),
                outcome,
                nodes,
                backIn,
                lasting,
                isWhy ? down.get(0) : null);
        down.stream().skip(isWhy ? 1 : 0).forEach(failure::addSuppressed);
        return failure;
    }

    private static String joined(List<NodeAnswer> nodes) {
        return nodes.stream().map(NodeAnswer::toString).collect(Collectors.joining("; "));
    }

    /** Returns when a majority will have a vote; null if it has one, or if more is wrong than that. */
    private static @Nullable Duration votesAreBackIn(Quorum quorum) {
        long now = quorum.time().nanos();
        List<Duration> left = new ArrayList<>();
        for (int i = 0; i < quorum.size(); i++) {
            NodeStatus status = quorum.status(i);
            if (status != null) {
                left.add(status.noVoteLeft(now));
            }
        }
        left.sort(null);
        if (left.size() < quorum.majority()) {
            return null;
        }
        Duration longest = left.get(quorum.majority() - 1);
        return longest.isZero() ? null : longest;
    }

    public static String seconds(Duration duration) {
        return (duration.toMillis() + 999) / 1000 + " s";
    }

    public static String words(@Nullable Throwable failure) {
        if (failure == null) {
            return "no answer";
        }
        Throwable cause = Causes.of(failure);
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        // The node is named before it.
        String prefix = cause instanceof StoreUnavailableException known ? known.node() + " " : "";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }

    static String noAnswer(Duration nodeTimeout) {
        return "no answer within " + nodeTimeout.toMillis() + " ms";
    }
}

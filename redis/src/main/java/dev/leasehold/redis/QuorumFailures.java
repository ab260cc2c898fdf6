package dev.leasehold.redis;

import dev.leasehold.NodeAnswer;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says which node of a quorum answered what when there was no majority. */
final class QuorumFailures {

    private QuorumFailures() {}

    static StoreUnavailableException unanswered(
            Quorum quorum, String what, Outcome outcome, IntFunction<String> words) {
        List<NodeAnswer> nodes = quorum.answers(words);
        Duration backIn = votesAreBackIn(quorum);
        String all = nodes.stream().map(NodeAnswer::toString).collect(Collectors.joining("; "));
        String votes = backIn == null
                ? ""
                : ". A master that was started, flushed or resynchronised has no vote until every lease that it may have "
                        + "forgotten is over; a majority will have one in " + seconds(backIn)
                        + ". If this quorum is new, `leasehold quorum init` opens it at once";
        return new StoreUnavailableException(
                what + " (" + all + ")" + votes, quorum.toString(), outcome, nodes, backIn, null);
    }

    /** When a majority will have a vote; null if it has one, or if more is amiss than that. */
    private static @Nullable Duration votesAreBackIn(Quorum quorum) {
        long now = quorum.time().nanos();
        List<Duration> left = new ArrayList<>();
        for (int i = 0; i < quorum.size(); i++) {
            NodeView view = quorum.view(i);
            if (view != null) {
                left.add(view.noVoteLeft(now));
            }
        }
        left.sort(null);
        if (left.size() < quorum.majority()) {
            return null;
        }
        Duration longest = left.get(quorum.majority() - 1);
        return longest.isZero() ? null : longest;
    }

    static String seconds(Duration duration) {
        return (duration.toMillis() + 999) / 1000 + " s";
    }

    static String words(@Nullable Throwable failure) {
        if (failure == null) {
            return "no answer";
        }
        Throwable cause = Link.cause(failure);
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        // The node is named before it.
        String prefix = cause instanceof StoreUnavailableException known ? known.node() + " " : "";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }

    static String noAnswer(Duration patience) {
        return "no answer within " + patience.toMillis() + " ms";
    }
}

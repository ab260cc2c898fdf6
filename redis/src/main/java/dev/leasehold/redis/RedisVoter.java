package dev.leasehold.redis;

import dev.leasehold.LockInfo;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A master of a quorum, over its {@link RedisNode}. What cannot be sent at once fails at once. */
final class RedisVoter implements Voter {

    private final RedisNode node;
    private final Papers papers;
    private final MarkerRules rules;
    private final String rulesText;
    private volatile @Nullable Marker marker;
    private volatile @Nullable NodeView latest;

    RedisVoter(RedisNode node, Papers papers, MarkerRules rules) {
        this.node = node;
        this.papers = papers;
        this.rules = rules;
        rulesText = rules.text();
    }

    @Override
    public CompletionStage<Vote> vote(Ballot ballot) {
        String what = "the claim of '" + ballot.lock() + "'";
        return ballot.kind() == Ballot.Kind.QUEUE && !node.isListening()
                ? node.listen(what).thenCompose(listening -> vote(what, ballot))
                : vote(what, ballot);
    }

    private CompletionStage<Vote> vote(String what, Ballot ballot) {
        Marker seen = marker;
        Marker named = seen != null && seen.suits(ballot) ? seen : null;
        LockKeys keys = node.keys(ballot.lock());
        List<Words> paper = papers.of(ballot, clock(ballot), keys.toTellText()).to(named);
        return node.runNow(
                what,
                Script.VOTE,
                (letter, sentAt) -> {
                    letter.add(keys.allAndMarker());
                    paper.forEach(letter::add);
                    return letter;
                },
                (sentAt, answer) -> stoodInLine(ballot, vote(ballot, named, sentAt, answer)));
    }

    /** What the node's clock shows, as far as it is known; a token is not far from it. */
    private long clock(Ballot ballot) {
        NodeView view = latest;
        return view == null ? ballot.token() : view.microsAt(node.nanos());
    }

    /** Where locks are shared with other clients, the first in line looks for the end of a foreign hold, as on one Redis. */
    private Vote stoodInLine(Ballot ballot, Vote vote) {
        ForeignHolders foreign = node.foreign();
        if (foreign == null || ballot.kind() != Ballot.Kind.QUEUE) {
            return vote;
        }
        if (vote instanceof Vote.Busy busy) {
            foreign.busy(ballot.lock(), ballot.lease(), busy.holder(), busy.place());
        } else {
            foreign.ended(ballot.lock());
        }
        return vote;
    }

    /** What the node tells of itself with every answer, which is also what the next ballot names. */
    private NodeView view(ClockReading sentAt, List<Object> answer) {
        String text = answer.get(2).toString();
        Marker told = marker;
        if (told == null || !told.text().equals(text)) {
            told = Marker.of(text, rules);
            marker = told;
        }
        return seen(new NodeView(
                told.run(), sentAt, Reply.number(answer.get(1)), Duration.ofMillis(Reply.number(answer.get(3)))));
    }

    private NodeView seen(NodeView view) {
        latest = view;
        return view;
    }

    private Vote vote(Ballot ballot, @Nullable Marker named, ClockReading sentAt, List<Object> answer) {
        if (answer.size() == 1 && named != null) {
            NodeView view = seen(new NodeView(named.run(), sentAt, Reply.number(answer.get(0)), Duration.ZERO));
            Duration asked = Duration.ofMillis(Millis.up(ballot.lease()));
            return new Vote.Yes(ballot.token(), Validity.of(sentAt, asked), view);
        }
        NodeView view = view(sentAt, answer);
        return switch (answer.get(0).toString()) {
            case "yes" -> new Vote.Yes(ballot.token(), Validity.of(sentAt, millis(answer.get(4))), view);
            case "stale" -> new Vote.Stale(Reply.number(answer.get(4)), view);
            case "far" -> new Vote.TooFar(Reply.number(answer.get(4)), view);
            case "busy" -> {
                Duration left = Reply.timeLeft(answer.get(5));
                yield new Vote.Busy(
                        Reply.holder(answer.get(4).toString(), left, view.micros()),
                        left,
                        (int) Reply.number(answer.get(6)),
                        view);
            }
            case "novote" -> new Vote.NoVote(view);
            default -> throw new IllegalArgumentException("unknown vote " + answer);
        };
    }

    private static Duration millis(Object part) {
        return Duration.ofMillis(Reply.number(part));
    }

    @Override
    public CompletionStage<Ack> renew(String lock, ClaimId attempt, long token, Duration lease) {
        return node.runNow(
                "the renewal of '" + lock + "'",
                Script.QUORUM_RENEW,
                (args, sentAt) -> args.add(2)
                        .add(node.names().lock(lock))
                        .add(MarkerRules.KEY)
                        .add(Reply.beginning(new LeaseId(lock, attempt, token)))
                        .add(Millis.up(lease))
                        .add(rulesText),
                (sentAt, answer) -> {
                    NodeView view = view(sentAt, answer);
                    return switch (answer.get(0).toString()) {
                        case "renewed" -> new Ack.Renewed(Validity.of(sentAt, millis(answer.get(4))), view);
                        case "gone" -> new Ack.Gone(Reply.number(answer.get(4)) == 1, view);
                        case "novote" -> new Ack.NoVote(view);
                        default -> throw new IllegalArgumentException("unknown answer " + answer);
                    };
                });
    }

    @Override
    public CompletionStage<Boolean> release(String lock, ClaimId attempt, long token, Duration keepFor) {
        LockKeys keys = node.keys(lock);
        return node.runNow(
                "the release of '" + lock + "'",
                Script.RELEASE,
                (letter, sentAt) -> letter.add(keys.all())
                        .add(papers.release(attempt, token, keepFor))
                        .add(keys.toTell()),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId attempt) {
        return ifConnected("the withdrawal from '" + lock + "'", () -> node.withdraw(lock, attempt));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return node.breakLease(lock, token);
    }

    private <T> CompletionStage<T> ifConnected(String what, java.util.function.Supplier<CompletionStage<T>> operation) {
        return node.isConnected() ? operation.get() : node.refuseUnconnected(what);
    }

    /** Waits for the connection, unlike the others: this is how it is made. */
    @Override
    public CompletionStage<NodeView> look() {
        return node.run(
                "the state of its vote",
                Script.LOOK,
                (args, sentAt) -> args.add(1).add(MarkerRules.KEY).add(rulesText),
                this::view);
    }

    @Override
    public void execute(Runnable task) {
        node.execute(task);
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        return node.list(pattern);
    }

    @Override
    public @Nullable String downBecause() {
        return node.downBecause();
    }

    @Override
    public CompletableFuture<?> close() {
        return node.close();
    }

    @Override
    public String toString() {
        return node.toString();
    }
}

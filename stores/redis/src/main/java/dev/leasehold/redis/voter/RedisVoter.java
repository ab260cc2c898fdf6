package dev.leasehold.redis.voter;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.WholeMillis;
import dev.leasehold.redis.node.ForeignHolders;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.Marker;
import dev.leasehold.redis.quorum.MarkerRules;
import dev.leasehold.redis.quorum.NodeStatus;
import dev.leasehold.redis.quorum.RenewVote;
import dev.leasehold.redis.quorum.Vote;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.redis.script.EncodedArgs;
import dev.leasehold.redis.script.LockKeys;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
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

/**
 * A Redis voter is a master of a quorum, over its {@link RedisNode}. A request that cannot be sent at once fails at once.
 */
public final class RedisVoter implements Voter {

    private static final CompletionStage<?> LISTENING = CompletableFuture.completedFuture("");

    private final RedisNode node;
    private final BallotEncoder encoder;
    private final MarkerRules rules;
    private final String rulesText;
    private final EncodedArgs markerKey;
    private volatile @Nullable Marker marker;
    private volatile @Nullable NodeStatus latest;

    public RedisVoter(RedisNode node, BallotEncoder encoder, MarkerRules rules) {
        this.node = node;
        this.encoder = encoder;
        this.rules = rules;
        rulesText = rules.text();
        markerKey = EncodedArgs.of(rules.key());
    }

    @Override
    public void check(String lock) {
        node.keys(lock);
    }

    @Override
    public CompletionStage<?> listen(String lock) {
        return node.listens() ? LISTENING : node.listen(claimOf(lock));
    }

    private static String claimOf(String lock) {
        return "the claim of '" + lock + "'";
    }

    @Override
    public CompletionStage<Vote> vote(Ballot ballot) {
        LockKeys keys = node.keys(ballot.lock());
        EncodedArgs encoded = encoder.of(ballot, clock(ballot), keys.toTellText());
        return node.scripts()
                .runNow(
                        claimOf(ballot.lock()),
                        ballot.shares() ? Script.SHARED_VOTE : Script.VOTE,
                        (command, sentAt) ->
                                command.add(keys.ballot()).add(markerKey).add(encoded),
                        (sentAt, answer) -> stoodInLine(ballot, vote(ballot, sentAt, answer)));
    }

    /** Returns the time of the node's clock, as far as it is known; a token is not far from it. */
    private long clock(Ballot ballot) {
        NodeStatus status = latest;
        return status == null ? ballot.token() : status.microsAt(node.nanos());
    }

    /**
     * Starts or ends the polling for a foreign hold, where locks are shared with other clients: the first in line polls, as
     * on one Redis.
     */
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

    /** Reads the node's status, which is part of every answer. */
    private NodeStatus status(ClockReading sentAt, List<Object> answer) {
        NodeStatus status = new NodeStatus(
                marker(answer).run(),
                sentAt,
                Reply.number(answer.get(1)),
                Duration.ofMillis(Reply.number(answer.get(3))));
        latest = status;
        return status;
    }

    private Marker marker(List<Object> answer) {
        String text = answer.get(2).toString();
        Marker told = marker;
        if (told == null || !told.text().equals(text)) {
            told = Marker.of(text);
            marker = told;
        }
        return told;
    }

    private Vote vote(Ballot ballot, ClockReading sentAt, List<Object> answer) {
        NodeStatus status = status(sentAt, answer);
        return switch (answer.get(0).toString()) {
            case "yes" -> new Vote.Yes(ballot.token(), Validity.of(sentAt, millis(answer.get(4))), status);
            case "stale" -> new Vote.Stale(Reply.number(answer.get(4)), status);
            case "far" -> new Vote.TooFar(Reply.number(answer.get(4)), status);
            case "busy" -> {
                Duration left = Reply.timeLeft(answer.get(5));
                yield new Vote.Busy(
                        Reply.holder(answer.get(4).toString(), left, status.micros()),
                        left,
                        (int) Reply.number(answer.get(6)),
                        status);
            }
            case "novote" -> new Vote.NoVote(status);
            default -> throw new IllegalArgumentException("unknown vote " + answer);
        };
    }

    private static Duration millis(Object part) {
        return Duration.ofMillis(Reply.number(part));
    }

    @Override
    public CompletionStage<RenewVote> renew(String lock, ClaimId attempt, long token, Duration lease) {
        node.hear();
        return node.scripts()
                .runNow(
                        "the renewal of '" + lock + "'",
                        Script.QUORUM_RENEW,
                        (args, sentAt) -> args.add(2)
                                .add(node.names().lock(lock))
                                .add(rules.key())
                                .add(Reply.beginning(new LeaseId(lock, attempt, token)))
                                .add(WholeMillis.up(lease))
                                .add(rulesText),
                        (sentAt, answer) -> {
                            NodeStatus status = status(sentAt, answer);
                            return switch (answer.get(0).toString()) {
                                case "renewed" ->
                                    new RenewVote.Renewed(Validity.of(sentAt, millis(answer.get(4))), status);
                                case "gone" -> new RenewVote.Gone(Reply.number(answer.get(4)) == 1, status);
                                case "novote" -> new RenewVote.NoVote(status);
                                default -> throw new IllegalArgumentException("unknown answer " + answer);
                            };
                        });
    }

    @Override
    public CompletionStage<Boolean> release(String lock, ClaimId attempt, long token, Duration keepFor) {
        LockKeys keys = node.keys(lock);
        return node.scripts()
                .runNow(
                        "the release of '" + lock + "'",
                        Script.RELEASE,
                        (args, sentAt) -> args.add(keys.all())
                                .add(encoder.release(attempt, token))
                                .add(keys.freeOrKept(keepFor)),
                        (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId attempt) {
        return ifConnected("the withdrawal from '" + lock + "'", () -> node.withdraw(lock, attempt));
    }

    @Override
    public CompletionStage<Boolean> abandon(String lock, ClaimId attempt) {
        return ifConnected("the end of an attempt at '" + lock + "'", () -> node.abandon(lock, attempt));
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return node.breakLease(lock, token);
    }

    private <T> CompletionStage<T> ifConnected(String what, java.util.function.Supplier<CompletionStage<T>> operation) {
        return node.scripts().isConnected() ? operation.get() : node.scripts().refuseUnconnected(what);
    }

    /** Waits for the connection, unlike the others: this is how it is made. */
    @Override
    public CompletionStage<NodeStatus> look() {
        return node.scripts()
                .run(
                        "the state of its vote",
                        Script.LOOK,
                        (args, sentAt) -> args.add(1).add(rules.key()).add(rulesText),
                        this::status);
    }

    @Override
    public void execute(Runnable task) {
        node.scripts().execute(task);
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        return node.list(pattern);
    }

    @Override
    public @Nullable String downBecause() {
        return node.scripts().downBecause();
    }

    @Override
    public @Nullable Throwable downCause() {
        return node.scripts().downCause();
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

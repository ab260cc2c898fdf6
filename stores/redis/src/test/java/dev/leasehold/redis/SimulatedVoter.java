package dev.leasehold.redis;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.redis.quorum.Ballot;
import dev.leasehold.redis.quorum.NodeStatus;
import dev.leasehold.redis.quorum.RenewVote;
import dev.leasehold.redis.quorum.Vote;
import dev.leasehold.redis.quorum.Voter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A simulated voter is one client's way to one master: messages take their time, overtake one another, get lost, come twice.
 */
public final class SimulatedVoter implements Voter {

    /** The network's faults, and the client's rules that are off. */
    public interface Network {
        /** Sends something one way; it arrives any number of times. */
        void send(Runnable arrival);

        Set<QuorumRule> off();

        /** Returns a stage that completes when the node's grants can come in. */
        default CompletionStage<?> listen() {
            return CompletableFuture.completedStage("");
        }
    }

    /** A holder of another kind knows of no gate, so a refusal because of it fails nobody at the gate. */
    private static final HolderInfo ANOTHER_KIND =
            new HolderInfo("another kind", 0, Claim.EXCLUSIVE, OptionalInt.empty(), null, null, null);

    private final SimulatedMaster master;
    private final Network network;
    private final TimeSource time;
    private final Consumer<Runnable> process;
    private final Duration nodeTimeout;
    private final Duration maxLease;
    private final Set<ClaimId> saidYesTo = new HashSet<>();
    private String knownRun = "";

    /**
     * Makes a voter.
     *
     * @param process runs what arrives in the client's process, when that is not stopped
     */
    public SimulatedVoter(
            SimulatedMaster master,
            Network network,
            TimeSource time,
            Consumer<Runnable> process,
            Duration nodeTimeout,
            Duration maxLease) {
        this.master = master;
        this.network = network;
        this.time = time;
        this.process = process;
        this.nodeTimeout = nodeTimeout;
        this.maxLease = maxLease;
        knownRun = master.run();
    }

    private <T> CompletableFuture<T> send(
            String what, Function<ModelMaster, T> request, BiFunction<T, ClockReading, T> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        ClockReading sentAt = time.now();
        TimeSource.Timer timer = time.schedule(
                nodeTimeout, () -> result.completeExceptionally(new IllegalStateException("simulated: no answer")));
        network.send(() -> master.handle(model -> {
            T answer = request.apply(model);
            master.note(what, answer);
            network.send(() -> process.accept(() -> {
                if (!result.isDone()) {
                    timer.cancel();
                    result.complete(read.apply(answer, sentAt));
                }
            }));
        }));
        return result;
    }

    /** Returns the moment from which a deadline counts. */
    private ClockReading from(ClockReading sentAt) {
        return network.off().contains(QuorumRule.DEADLINE_FROM_SENDING) ? time.now() : sentAt;
    }

    private NodeStatus status(String run, ClockReading sentAt, long micros, Duration noVote) {
        knownRun = run;
        return new NodeStatus(run, sentAt, micros, noVote);
    }

    @Override
    public CompletionStage<?> listen(String lock) {
        return network.listen();
    }

    /** A master has answered a ballot. */
    private record Voted(ModelMaster.@Nullable Said said, NodeStatus status) {}

    @Override
    public CompletionStage<Vote> vote(Ballot ballot) {
        String run = knownRun;
        return this.<Voted>send(
                        "votes on " + ballot,
                        model -> {
                            Duration none = model.noVoteFor(run);
                            ModelMaster.Said said = none.isZero() ? model.vote(ballot) : null;
                            return new Voted(said, new NodeStatus(model.run(), time.now(), master.micros(), none));
                        },
                        (voted, sentAt) -> new Voted(
                                voted.said(),
                                status(
                                        voted.status().run(),
                                        sentAt,
                                        voted.status().micros(),
                                        voted.status().noVoteFor())))
                .thenApply(voted -> read(ballot, voted.said(), voted.status()));
    }

    private Vote read(Ballot ballot, ModelMaster.@Nullable Said said, NodeStatus status) {
        if (said == null) {
            return new Vote.NoVote(status);
        }
        if (said instanceof ModelMaster.Said.Yes yes) {
            saidYesTo.add(ballot.attempt());
            return new Vote.Yes(yes.token(), Validity.of(from(status.sentAt()), nanos(yes.micros())), status);
        }
        if (said instanceof ModelMaster.Said.Stale stale) {
            return new Vote.Stale(stale.last(), status);
        }
        if (said instanceof ModelMaster.Said.TooFar far) {
            return new Vote.TooFar(far.most(), status);
        }
        ModelMaster.Said.Busy busy = (ModelMaster.Said.Busy) said;
        Long left = busy.micros();
        boolean fails = !ballot.shares() || !network.off().contains(QuorumRule.BUSY_GATE_FAILS_READERS);
        HolderInfo holder = fails ? busy.holder() : ANOTHER_KIND;
        return new Vote.Busy(holder, left == null ? null : nanos(left), busy.place(), status);
    }

    private static Duration nanos(long micros) {
        return Duration.ofNanos(micros * 1000);
    }

    @Override
    public CompletionStage<RenewVote> renew(String lock, ClaimId attempt, long token, Duration lease) {
        String named = knownRun;
        return this.<RenewVote>send(
                "renews " + attempt + " " + token,
                model -> {
                    Duration none = model.noVoteFor(named);
                    NodeStatus status = new NodeStatus(model.run(), time.now(), master.micros(), none);
                    if (!none.isZero()) {
                        return new RenewVote.NoVote(status);
                    }
                    long left = model.renew(lock, attempt, token, lease);
                    return left < 0
                            ? new RenewVote.Gone(left == -1, status)
                            : new RenewVote.Renewed(Validity.of(time.now(), nanos(left)), status);
                },
                (vote, sentAt) -> {
                    NodeStatus status = status(
                            vote.status().run(),
                            sentAt,
                            vote.status().micros(),
                            vote.status().noVoteFor());
                    if (vote instanceof RenewVote.Renewed renewed) {
                        // The model has counted from its own moment: what was left then, counts from sending.
                        long left = renewed.validity().deadline()
                                - renewed.validity().sentAt().nanos();
                        return new RenewVote.Renewed(
                                new Validity(from(sentAt), from(sentAt).nanos() + left), status);
                    }
                    return vote instanceof RenewVote.Gone gone
                            ? new RenewVote.Gone(gone.free(), status)
                            : new RenewVote.NoVote(status);
                });
    }

    @Override
    public CompletionStage<Boolean> release(String lock, ClaimId attempt, long token, Duration keepFor) {
        return send(
                "releases " + attempt + " " + token,
                model -> model.release(lock, attempt, token, keepFor),
                (found, sentAt) -> found);
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId attempt) {
        return withdraw(lock, attempt, false);
    }

    @Override
    public CompletionStage<Boolean> abandon(String lock, ClaimId attempt) {
        return withdraw(lock, attempt, true);
    }

    private CompletionStage<Boolean> withdraw(String lock, ClaimId attempt, boolean failed) {
        if (network.off().contains(QuorumRule.RELEASE_ON_ALL) && !saidYesTo.contains(attempt)) {
            return CompletableFuture.completedFuture(true);
        }
        return send(
                (failed ? "abandons " : "withdraws ") + attempt,
                model -> model.withdraw(lock, attempt, failed),
                (found, sentAt) -> found);
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return send("breaks " + token, model -> model.breakLease(lock, token), (found, sentAt) -> found);
    }

    @Override
    public CompletionStage<NodeStatus> look() {
        String named = knownRun;
        return send(
                "looks",
                model -> new NodeStatus(model.run(), time.now(), master.micros(), model.noVoteFor(named)),
                (status, sentAt) -> status(status.run(), sentAt, status.micros(), status.noVoteFor()));
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public @Nullable String downBecause() {
        return null;
    }

    @Override
    public @Nullable Throwable downCause() {
        return null;
    }

    @Override
    public CompletableFuture<?> close() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return master.name();
    }
}

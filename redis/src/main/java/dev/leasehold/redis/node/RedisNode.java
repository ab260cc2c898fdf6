package dev.leasehold.redis.node;

import dev.leasehold.LockException;
import dev.leasehold.LockInfo;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.Millis;
import dev.leasehold.redis.connection.Failures;
import dev.leasehold.redis.connection.Link;
import dev.leasehold.redis.connection.Route;
import dev.leasehold.redis.connection.ServerMode;
import dev.leasehold.redis.connection.Wire;
import dev.leasehold.redis.connection.Wires;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.Letter;
import dev.leasehold.redis.script.LockKeys;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import dev.leasehold.redis.script.Words;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Speaks to one master: its connections, its scripts, its inbox. It knows nothing of other nodes, nor how many there are.
 *
 * <p>Each operation is one script, run by its SHA; where the server does not know it, it is sent whole, which also teaches
 * it. Where the order counts, it is sent whole from the first (see {@link Script#hasItsPlace}). Our clock is read before each
 * sending, so that an answer's validity counts from the very request that was answered.
 */
public final class RedisNode implements LockOps {

    private static final long RUN_EVERY_NANOS = 1_000_000_000L;

    private final Route route;
    private final StoreContext context;
    private final KeyNames names;
    private final LockKeys.Cache keys;
    private final Words owner;
    private final Link commands;
    private final Inbox inbox;
    private final boolean counted;
    private final boolean asking;
    private final @Nullable Replicas replicas;
    private final @Nullable ForeignHolders foreign;
    private final ConcurrentMap<Renewal, CompletableFuture<RenewAnswer>> renewals;
    private volatile @Nullable ClockReading runToldAt;

    private record Renewal(LeaseId lease, Duration duration) {}

    /**
     * Makes a node, without connecting.
     *
     * @param inbox where the grants of this node come in
     * @param counted whether the number of receivers that this server counts is all there are; not so in a cluster
     */
    public RedisNode(
            Route route,
            StoreContext context,
            RedisSettings settings,
            KeyNames names,
            Inbox inbox,
            boolean counted,
            NodeEvents events) {
        this.route = route;
        this.context = context;
        this.inbox = inbox;
        this.counted = counted;
        this.asking = false;
        this.names = names;
        keys = new LockKeys.Cache(names, counted);
        owner = Words.of(context.owner());
        replicas = settings.replicas() > 0 ? new Replicas(route, context, settings) : null;
        foreign = names.arePlain() ? new ForeignHolders(this, context.time(), events) : null;
        this.renewals = new ConcurrentHashMap<>();
        commands = new Wires(context)
                .link(
                        route.toString(),
                        () -> counted
                                ? route.connect().thenCompose(one -> ServerMode.standalone(one, route.toString()))
                                : route.connect(),
                        events::doubtNode);
    }

    private RedisNode(RedisNode same, boolean asking) {
        this.route = same.route;
        this.context = same.context;
        this.inbox = same.inbox;
        this.counted = same.counted;
        this.names = same.names;
        this.keys = same.keys;
        this.owner = same.owner;
        this.commands = same.commands;
        this.replicas = same.replicas;
        this.foreign = same.foreign;
        this.asking = asking;
        this.renewals = new ConcurrentHashMap<>();
    }

    /** The same node over the same connection, as one asks it for a lock that is on its way to it from another. */
    RedisNode asking() {
        return new RedisNode(this, true);
    }

    /**
     * Asks for a lock. A claim that wants to queue is first sent as one that does not, as long as the inbox is not
     * subscribed: most locks are free, and who never waits never listens.
     */
    @Override
    public CompletionStage<ClaimAnswer> claim(Claim claim) {
        if (foreign == null && replicas == null) {
            return seek(claim);
        }
        long startedAt = context.time().nanos();
        return seek(claim).thenCompose(answer -> {
            ForeignHolders watch = foreign;
            if (watch != null) {
                watch.answered(claim, answer);
            }
            return answer instanceof ClaimAnswer.Granted granted
                    ? orReleased(granted.lease(), confirmed(granted.lease(), answer, startedAt))
                    : CompletableFuture.completedFuture(answer);
        });
    }

    private CompletionStage<ClaimAnswer> seek(Claim claim) {
        if (!claim.enqueue()) {
            return claim(claim, false);
        }
        if (inbox.isOpen()) {
            inbox.verify();
            return claim(claim, true);
        }
        return claim(claim, false).thenCompose(answer -> {
            if (answer instanceof ClaimAnswer.Busy busy && busy.place() == 0) {
                return listen("the claim of '" + claim.lock() + "'").thenCompose(subscribed -> claim(claim, true));
            }
            return CompletableFuture.completedFuture(answer);
        });
    }

    /** Whether the inbox is open, for somebody who is about to wait. */
    public boolean listens() {
        boolean open = inbox.isOpen();
        if (open) {
            inbox.verify();
        }
        return open;
    }

    public CompletionStage<Wire> listen(String what) {
        return mapped(inbox.open(), failure -> Failures.ofConnecting(failure, route + " (inbox)", what));
    }

    private CompletionStage<ClaimAnswer> claim(Claim claim, boolean enqueue) {
        Duration lease = claim.lease();
        return run(
                "the claim of '" + claim.lock() + "'",
                Script.CLAIM,
                (args, sentAt) -> {
                    LockKeys lock = keys.of(claim.lock());
                    return args.add(lock.all())
                            .add(Reply.beginning(claim.id()))
                            .add(owner)
                            .add(Millis.up(lease))
                            .add(claim.spare())
                            .add(how(claim, enqueue, lock.wasHeld(), sentAt) + lock.toTellText())
                            .add(terms(claim, sentAt));
                },
                (sentAt, answer) -> claimAnswer(claim, sentAt, answer));
    }

    private String how(Claim claim, boolean enqueue, boolean wasHeld, ClockReading sentAt) {
        return (enqueue ? wasHeld ? "2|" : "1|" : "0|") + (wantsRun(sentAt) ? "1|" : "0|") + claim.place() + '|';
    }

    /** What the queue keeps of a claim. Its stamp is read before it is sent, as {@link Stamp} demands. */
    private String terms(Claim claim, ClockReading sentAt) {
        String aliveFor = Long.toString(Millis.up(WaitingRules.aliveFor(claim.lease())));
        return new StringBuilder(256)
                .append("00000", aliveFor.length(), 5)
                .append(aliveFor)
                .append('|')
                .append(Stamp.of(sentAt))
                .append('|')
                .append(claim.id())
                .append('|')
                .append(Millis.up(WaitingRules.claimPeriod(claim.lease())))
                .append('|')
                .append(claim.spare())
                .append('|')
                .append(inbox.channel())
                .append('|')
                .append(context.owner())
                .toString();
    }

    /**
     * Whether the server shall say which run it is, so that the inbox can follow the commands to another server. That costs it
     * as much as a third of the rest, so it is asked once a second; and not in a cluster, where the inbox may be at any node.
     */
    private boolean wantsRun(ClockReading sentAt) {
        ClockReading last = runToldAt;
        return counted && (last == null || sentAt.nanos() - last.nanos() >= RUN_EVERY_NANOS);
    }

    private ClaimAnswer claimAnswer(Claim claim, ClockReading sentAt, List<Object> answer) {
        String text = answer.get(0).toString();
        boolean busy = text.startsWith(Reply.BUSY);
        keys.of(claim.lock()).seen(busy);
        if (!busy) {
            return Reply.granted(claim, sentAt, text);
        }
        String[] parts = text.split("\\|", Reply.BUSY_PARTS);
        long now = Long.parseLong(parts[3]);
        String run = parts[4];
        if (!run.isEmpty()) {
            runToldAt = sentAt;
            inbox.followCommandsTo(run);
        }
        Duration left = Reply.timeLeft(parts[2]);
        return new ClaimAnswer.Busy(Reply.holder(parts[5], left, now), left, Integer.parseInt(parts[1]));
    }

    /** What the server has answered, once enough replicas have it too. */
    private <T> CompletionStage<T> confirmed(LeaseId lease, T answer, long startedAt) {
        Replicas all = replicas;
        return all == null
                ? CompletableFuture.completedFuture(answer)
                : all.have(lease, names.lock(lease.lock()), asking, startedAt).thenApply(have -> answer);
    }

    /**
     * Where trying again will not help, nobody will ask for the grant again, so it is released here. Otherwise the client
     * asks again with the same claim, and withdraws it in the end.
     */
    private CompletionStage<ClaimAnswer> orReleased(LeaseId lease, CompletionStage<ClaimAnswer> confirmed) {
        if (replicas == null) {
            return confirmed;
        }
        return confirmed.exceptionallyCompose(failure -> Causes.of(failure) instanceof StoreUnavailableException
                ? CompletableFuture.failedFuture(failure)
                : release(lease, Duration.ZERO)
                        .handle((released, unreleased) -> failure)
                        .thenCompose(CompletableFuture::failedFuture));
    }

    /**
     * Renews. Asked again while the same question is under way, it is not sent again: its answer serves both. Else a server
     * that is slow because it has too much to do would be given more and more of it.
     */
    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        Renewal renewal = new Renewal(lease, duration);
        CompletableFuture<RenewAnswer> answer = new CompletableFuture<>();
        CompletableFuture<RenewAnswer> underWay = renewals.putIfAbsent(renewal, answer);
        if (underWay != null) {
            return underWay;
        }
        sendRenewal(lease, duration).whenComplete((answered, failure) -> {
            renewals.remove(renewal);
            if (failure == null) {
                answer.complete(answered);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    private CompletionStage<RenewAnswer> sendRenewal(LeaseId lease, Duration duration) {
        long startedAt = context.time().nanos();
        CompletionStage<RenewAnswer> renewed = extend(lease, duration);
        return replicas == null
                ? renewed
                : renewed.thenCompose(answer -> answer instanceof RenewAnswer.Renewed
                        ? confirmed(lease, answer, startedAt)
                        : CompletableFuture.completedFuture(answer));
    }

    private CompletionStage<RenewAnswer> extend(LeaseId lease, Duration duration) {
        return run(
                "the renewal of '" + lease.lock() + "'",
                Script.RENEW,
                (args, sentAt) -> args.add(keys.of(lease.lock()).own())
                        .add(Reply.beginning(lease))
                        .add(Millis.up(duration)),
                (sentAt, answer) -> {
                    long left = Reply.number(answer.get(0));
                    return left < 0
                            ? new RenewAnswer.Lost()
                            : new RenewAnswer.Renewed(Validity.of(sentAt, Duration.ofMillis(left)));
                });
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return run(
                "the release of '" + lease.lock() + "'",
                Script.RELEASE,
                (args, sentAt) -> {
                    LockKeys lock = keys.of(lease.lock());
                    return args.add(lock.all()).add(Reply.beginning(lease)).add(lock.freeOrKept(keepFor));
                },
                (sentAt, answer) -> Reply.released(answer));
    }

    /** Ends a lease by its own key alone. Hands over to nobody: the first in the queue finds the lock by asking. */
    CompletionStage<ReleaseAnswer> releaseAlone(LeaseId lease, Duration keepFor) {
        return run(
                "the release of '" + lease.lock() + "'",
                Script.RELEASE_ALONE,
                (args, sentAt) -> args.add(keys.of(lease.lock()).own())
                        .add(Reply.beginning(lease))
                        .add(Millis.up(keepFor)),
                (sentAt, answer) -> Reply.released(answer));
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId claim) {
        return run(
                "the withdrawal from '" + lock + "'",
                Script.WITHDRAW,
                (args, sentAt) -> args.add(keys.of(lock).all())
                        .add(claim.toString())
                        .add(keys.of(lock).toTell()),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    /** Withdraws an attempt at a quorum that has failed; what it raised is taken back. */
    public CompletionStage<Boolean> abandon(String lock, ClaimId attempt) {
        return run(
                "the end of an attempt at '" + lock + "'",
                Script.WITHDRAW,
                (args, sentAt) -> args.add(keys.of(lock).all())
                        .add(attempt.toString())
                        .add(keys.of(lock).toTell())
                        .add("1"),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    @Override
    public CompletionStage<Boolean> breakLease(String lock, long token) {
        return run(
                "the break of '" + lock + "'",
                Script.BREAK,
                (args, sentAt) -> args.add(keys.of(lock).all())
                        .add(token)
                        .add(keys.of(lock).toTell()),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    /** Looks at one lock; empty if nobody holds or waits for it. */
    CompletionStage<Optional<LockInfo>> inspect(String lock) {
        return run(
                "the inspection of '" + lock + "'",
                Script.INSPECT,
                (args, sentAt) -> args.add(keys.of(lock).all()),
                (sentAt, answer) -> Optional.ofNullable(Reply.lockInfo(lock, answer)));
    }

    /** Sends a command of the server's own, for the listing of locks and the like. */
    <T> CompletionStage<T> ask(
            String what, CommandType type, CommandArgs<String, String> args, Reply.Reader<T> reader) {
        return onWire(what, wire -> {
            ClockReading sentAt = context.time().now();
            return mapped(
                    wire.send(type, args).thenApply(answer -> reader.read(sentAt, answer)),
                    failure -> failed(what, wire, failure));
        });
    }

    public KeyNames names() {
        return names;
    }

    /** Who looks for the end of foreign holds; null where locks are not shared with other clients. */
    public @Nullable ForeignHolders foreign() {
        return foreign;
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        return new Listing(this).list(pattern);
    }

    /** Closes the connections, the inbox's too unless it is shared with other nodes. */
    @Override
    public CompletableFuture<?> close() {
        Replicas all = replicas;
        CompletableFuture<?> own =
                all == null ? commands.close() : CompletableFuture.allOf(commands.close(), all.close());
        return counted ? CompletableFuture.allOf(own, inbox.close()) : own;
    }

    @Override
    public String toString() {
        return route.toString();
    }

    /** What the scripts are sent of a lock. */
    public LockKeys keys(String lock) {
        return keys.of(lock);
    }

    /** Runs a task, where there is a connection on the thread on which its answers come in. */
    public void execute(Runnable task) {
        Wire open = commands.now();
        if (open == null) {
            task.run();
        } else {
            open.execute(task);
        }
    }

    /** The monotonic clock of this process. */
    public long nanos() {
        return context.time().nanos();
    }

    /** What a script is sent beside its name. */
    public interface Rest {
        Letter addTo(Letter letter, ClockReading sentAt);
    }

    public <T> CompletionStage<T> run(String what, Script script, Rest rest, Reply.Reader<T> reader) {
        return onWire(what, wire -> run(what, wire, script, rest, reader));
    }

    /** The same, if there is a connection now; else this fails at once, and nothing is kept back to be sent later. */
    public <T> CompletionStage<T> runNow(String what, Script script, Rest rest, Reply.Reader<T> reader) {
        Wire open = commands.now();
        return open == null ? refuseUnconnected(what) : run(what, open, script, rest, reader);
    }

    public boolean isConnected() {
        return commands.now() != null;
    }

    /** Fails, and has a connection made for those who come later. */
    public <T> CompletionStage<T> refuseUnconnected(String what) {
        commands.open();
        Throwable last = commands.lastFailure();
        return CompletableFuture.failedFuture(
                last == null
                        ? Failures.of(new Wire.LostException("it is being made", false), route.toString(), what)
                        : Failures.ofConnecting(last, route.toString(), what));
    }

    /** Why the last attempt to connect has failed; null if there is a connection, or none has been tried since the last. */
    public @Nullable String downBecause() {
        Throwable last = isConnected() ? null : commands.lastFailure();
        return last == null ? null : Failures.why(last);
    }

    private <T> CompletableFuture<T> run(String what, Wire wire, Script script, Rest rest, Reply.Reader<T> reader) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (script.hasItsPlace() && !wire.knows(script)) {
            whole(what, wire, script, rest, reader, result);
            result.thenRun(() -> wire.learns(script));
            return result;
        }
        ask(wire);
        ClockReading sentAt = context.time().now();
        wire.send(
                        CommandType.EVALSHA,
                        rest.addTo(new Letter().add(script.sha()), sentAt).args())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        Reply.read(result, reader, sentAt, answer);
                    } else if (Causes.of(failure) instanceof RedisNoScriptException) {
                        whole(what, wire, script, rest, reader, result);
                    } else {
                        result.completeExceptionally(failed(what, wire, failure));
                    }
                });
        return result;
    }

    private <T> void whole(
            String what, Wire wire, Script script, Rest rest, Reply.Reader<T> reader, CompletableFuture<T> result) {
        ask(wire);
        ClockReading sentAt = context.time().now();
        wire.send(
                        CommandType.EVAL,
                        rest.addTo(new Letter().add(script.text()), sentAt).args())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        Reply.read(result, reader, sentAt, answer);
                    } else {
                        result.completeExceptionally(failed(what, wire, failure));
                    }
                });
    }

    // Should another command slip in between, the server sends ours back to the other node, and it is sent again.
    private void ask(Wire wire) {
        if (asking) {
            wire.send(CommandType.ASKING, new CommandArgs<>(Wire.CODEC));
        }
    }

    private interface Conversation<T> {
        CompletableFuture<T> on(Wire wire);
    }

    private <T> CompletionStage<T> onWire(String what, Conversation<T> conversation) {
        Wire open = commands.now();
        if (open != null) {
            return conversation.on(open);
        }
        return mapped(commands.open(), failure -> Failures.ofConnecting(failure, route.toString(), what))
                .thenCompose(conversation::on);
    }

    private LockException failed(String what, Wire wire, Throwable failure) {
        if (Causes.of(failure) instanceof RedisCommandExecutionException error
                && Failures.code(error).equals("READONLY")) {
            wire.lose("the server is not the master any more");
        }
        return Failures.of(failure, route.toString(), what);
    }

    private static <T> CompletableFuture<T> mapped(
            CompletableFuture<T> from, java.util.function.Function<Throwable, RuntimeException> failureOf) {
        CompletableFuture<T> to = new CompletableFuture<>();
        from.whenComplete((value, failure) -> {
            if (failure == null) {
                to.complete(value);
            } else {
                to.completeExceptionally(failureOf.apply(failure));
            }
        });
        return to;
    }
}

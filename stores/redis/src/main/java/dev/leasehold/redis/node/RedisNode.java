package dev.leasehold.redis.node;

import dev.leasehold.StoreUnavailableException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.WholeMillis;
import dev.leasehold.redis.connection.ConnectionFactory;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.ReconnectingConnection;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.connection.ServerMode;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.script.LockKeys;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A Redis node speaks to one master: it has its connections, its scripts, its inbox. It knows nothing of other nodes, nor
 * how many there are.
 *
 * <p>Each operation is one script ({@link ScriptRunner}), but for {@link Renewals}, of which one may renew many.
 */
public final class RedisNode implements LockCommands {

    private final Connector connector;
    private final StoreContext context;
    private final KeyNames names;
    private final LockKeys.Cache keys;
    private final ClaimScript claims;
    private final ScriptRunner scripts;
    private final ReconnectingConnection commands;
    private final Inbox inbox;
    private final boolean counted;
    private final @Nullable Replicas replicas;
    private final @Nullable ForeignHolders foreign;
    private final Renewals renewals;

    /**
     * Makes a node, without connecting.
     *
     * @param inbox where the grants of this node come in
     * @param counted whether the number of receivers that this server counts is all there are; not so in a cluster
     */
    public RedisNode(
            Connector connector,
            StoreContext context,
            RedisSettings settings,
            KeyNames names,
            Inbox inbox,
            boolean counted,
            NodeListener listener) {
        this.connector = connector;
        this.context = context;
        this.inbox = inbox;
        this.counted = counted;
        this.names = names;
        keys = new LockKeys.Cache(names, counted);
        claims = new ClaimScript(context, keys, inbox, counted);
        replicas = settings.replicas() > 0 ? new Replicas(connector, context, settings) : null;
        foreign = names.arePlain() ? new ForeignHolders(this, context.time(), listener) : null;
        renewals = new Renewals(this::send, counted && replicas == null);
        commands = new ConnectionFactory(context, connector)
                .reconnectingConnection(
                        connector.toString(),
                        () -> counted
                                ? connector
                                        .connect()
                                        .thenCompose(one -> ServerMode.standalone(one, names.inboxPrefix()))
                                : connector.connect(),
                        listener::doubtNode);
        scripts = new ScriptRunner(connector, context.time(), commands, settings.texts());
    }

    private RedisNode(RedisNode same, ScriptRunner scripts) {
        this.connector = same.connector;
        this.context = same.context;
        this.inbox = same.inbox;
        this.counted = same.counted;
        this.names = same.names;
        this.keys = same.keys;
        this.claims = same.claims;
        this.commands = same.commands;
        this.replicas = same.replicas;
        this.foreign = same.foreign;
        this.scripts = scripts;
        this.renewals = new Renewals(this::send, false);
    }

    /** Returns this node over the same connection, for a lock that is being moved to it from another. */
    RedisNode asking() {
        return new RedisNode(this, scripts.asking());
    }

    /**
     * Asks for a lock. A claim that wants to queue is first sent as one that does not, as long as the inbox is not
     * subscribed: most locks are free, and a client that neither waits nor renews never subscribes.
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
            return claims.run(scripts, claim, false);
        }
        if (inbox.isOpen()) {
            inbox.verify();
            return claims.run(scripts, claim, true);
        }
        return claims.run(scripts, claim, false).thenCompose(answer -> {
            if (answer instanceof ClaimAnswer.Busy busy && busy.place() == 0) {
                return listen("the claim of '" + claim.lock() + "'")
                        .thenCompose(subscribed -> claims.run(scripts, claim, true));
            }
            return CompletableFuture.completedFuture(answer);
        });
    }

    /** Returns whether the inbox is open, for a claim that is about to wait. */
    public boolean listens() {
        boolean open = inbox.isOpen();
        if (open) {
            inbox.verify();
        }
        return open;
    }

    /** Has a holder that stays hear of a break, without waiting for the connection. */
    public void hear() {
        inbox.listen();
    }

    public CompletionStage<RedisConnection> listen(String what) {
        return ScriptRunner.mapped(
                inbox.open(), failure -> RedisFailures.ofConnecting(failure, connector + " (inbox)", what));
    }

    /** Returns the server's answer, once enough replicas have it too. */
    private <T> CompletionStage<T> confirmed(LeaseId lease, T answer, long startedAt) {
        Replicas all = replicas;
        return all == null
                ? CompletableFuture.completedFuture(answer)
                : all.have(lease, names.lock(lease.lock()), scripts.isAsking(), startedAt)
                        .thenApply(have -> answer);
    }

    /**
     * Releases a grant that will not be asked for again, because trying again does not help. Otherwise the client asks again
     * with the same claim, and withdraws it in the end.
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

    @Override
    public CompletionStage<RenewAnswer> renew(LeaseId lease, Duration duration) {
        hear();
        return renewals.renew(lease, duration);
    }

    private CompletionStage<List<RenewAnswer>> orLost(
            LeaseId lease, CompletionStage<List<RenewAnswer>> renewed, long startedAt) {
        return replicas == null
                ? renewed
                : renewed.thenCompose(answers -> answers.get(0) instanceof RenewAnswer.Renewed
                        ? confirmed(lease, answers, startedAt)
                        : CompletableFuture.completedFuture(answers));
    }

    @Override
    public CompletionStage<RenewAnswer> downgrade(LeaseId lease, Duration duration) {
        long startedAt = context.time().nanos();
        CompletionStage<List<RenewAnswer>> downgraded = scripts.run(
                "the downgrade of '" + lease.lock() + "'",
                Script.DOWNGRADE,
                (args, sentAt) -> args.add(keys.of(lease.lock()).all())
                        .add(Reply.beginning(lease))
                        .add(WholeMillis.up(duration))
                        .add(keys.of(lease.lock()).toTell()),
                (sentAt, answer) -> Reply.renewed(sentAt, answer, 1));
        return orLost(lease, downgraded, startedAt).thenApply(answers -> answers.get(0));
    }

    /** Sends renewals to this node; one alone where replicas are waited for. */
    private CompletionStage<List<RenewAnswer>> send(List<Renewals.Renewal> batch) {
        LeaseId first = batch.get(0).lease();
        long startedAt = context.time().nanos();
        CompletionStage<List<RenewAnswer>> renewed = scripts.run(
                "the renewal of " + (batch.size() == 1 ? "'" + first.lock() + "'" : batch.size() + " locks"),
                Script.RENEW,
                (args, sentAt) -> {
                    args.add(batch.size());
                    batch.forEach(renewal -> args.add(names.lock(renewal.lease().lock())));
                    batch.forEach(renewal ->
                            args.add(Reply.beginning(renewal.lease())).add(WholeMillis.up(renewal.duration())));
                    return args;
                },
                (sentAt, answer) -> Reply.renewed(sentAt, answer, batch.size()));
        return orLost(first, renewed, startedAt);
    }

    @Override
    public CompletionStage<ReleaseAnswer> release(LeaseId lease, Duration keepFor) {
        return scripts.run(
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
        return scripts.run(
                "the release of '" + lease.lock() + "'",
                Script.RELEASE_ALONE,
                (args, sentAt) -> args.add(keys.of(lease.lock()).own())
                        .add(Reply.beginning(lease))
                        .add(WholeMillis.up(keepFor)),
                (sentAt, answer) -> Reply.released(answer));
    }

    @Override
    public CompletionStage<Boolean> withdraw(String lock, ClaimId claim) {
        return scripts.run(
                "the withdrawal from '" + lock + "'",
                Script.WITHDRAW,
                (args, sentAt) -> args.add(keys.of(lock).all())
                        .add(claim.toString())
                        .add(keys.of(lock).toTell()),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    /** Withdraws an attempt at a quorum that has failed, and takes back the last token that it has raised. */
    public CompletionStage<Boolean> abandon(String lock, ClaimId attempt) {
        return scripts.run(
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
        return scripts.run(
                "the break of '" + lock + "'",
                Script.BREAK,
                (args, sentAt) -> args.add(keys.of(lock).all())
                        .add(token)
                        .add(keys.of(lock).toTell()),
                (sentAt, answer) -> Reply.number(answer.get(0)) == 1);
    }

    /** Looks at one lock; empty if nobody holds or waits for it. */
    CompletionStage<Optional<LockInfo>> inspect(String lock) {
        return scripts.run(
                "the inspection of '" + lock + "'",
                Script.INSPECT,
                (args, sentAt) -> args.add(keys.of(lock).all()),
                (sentAt, answer) -> Optional.ofNullable(Reply.lockInfo(lock, answer)));
    }

    /** Runs scripts on this node. */
    public ScriptRunner scripts() {
        return scripts;
    }

    public KeyNames names() {
        return names;
    }

    /** Returns the poller for foreign holds; null where locks are not shared with other clients. */
    public @Nullable ForeignHolders foreign() {
        return foreign;
    }

    @Override
    public CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        return new LockLister(this, context.storeTimeout()).list(pattern);
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
        return connector.toString();
    }

    /** Returns the arguments that the scripts need of a lock. */
    public LockKeys keys(String lock) {
        return keys.of(lock);
    }

    /** Reads the monotonic clock of this process. */
    public long nanos() {
        return context.time().nanos();
    }
}

package dev.leasehold.redis.node;

import dev.leasehold.LockException;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.Stages;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.ReconnectingConnection;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.script.CommandBuilder;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import dev.leasehold.redis.script.ScriptTexts;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A script runner runs scripts on one server. It runs a script by its SHA; where the server does not know it, it is sent
 * whole, which also teaches it. Where the order counts, it is sent whole from the first (see {@link Script#hasItsPlace}).
 * Our clock is read before each sending, so that an answer's validity counts from the very request that was answered.
 */
public final class ScriptRunner {

    private final Connector connector;
    private final TimeSource time;
    private final ReconnectingConnection commands;
    private final ScriptTexts texts;
    private final boolean asking;

    ScriptRunner(Connector connector, TimeSource time, ReconnectingConnection commands, ScriptTexts texts) {
        this(connector, time, commands, texts, false);
    }

    private ScriptRunner(
            Connector connector, TimeSource time, ReconnectingConnection commands, ScriptTexts texts, boolean asking) {
        this.connector = connector;
        this.time = time;
        this.commands = commands;
        this.texts = texts;
        this.asking = asking;
    }

    /** Returns a runner over the same connection, for a lock that is being moved to this server from another. */
    ScriptRunner asking() {
        return new ScriptRunner(connector, time, commands, texts, true);
    }

    boolean isAsking() {
        return asking;
    }

    /** Sends a command of the server's own, for the listing of locks and the like. */
    <T> CompletionStage<T> ask(
            String what, CommandType type, CommandArgs<String, String> args, Reply.Reader<T> reader) {
        return onConnection(what, connection -> {
            ClockReading sentAt = time.now();
            return mapped(
                    connection.send(type, args).thenApply(answer -> reader.read(sentAt, answer)),
                    failure -> failed(what, connection, failure));
        });
    }

    /** Runs a task, where there is a connection on the thread on which its answers come in. */
    public void execute(Runnable task) {
        RedisConnection open = commands.now();
        if (open == null) {
            task.run();
        } else {
            open.execute(task);
        }
    }

    /** The rest are the arguments of a script, which follow its name. */
    public interface Rest {
        CommandBuilder addTo(CommandBuilder command, ClockReading sentAt);
    }

    public <T> CompletionStage<T> run(String what, Script script, Rest rest, Reply.Reader<T> reader) {
        return onConnection(what, connection -> run(what, connection, script, rest, reader));
    }

    /** Runs a script if there is a connection now; else this fails at once, and nothing is kept back to be sent later. */
    public <T> CompletionStage<T> runNow(String what, Script script, Rest rest, Reply.Reader<T> reader) {
        RedisConnection open = commands.now();
        return open == null ? refuseUnconnected(what) : run(what, open, script, rest, reader);
    }

    public boolean isConnected() {
        return commands.now() != null;
    }

    /** Fails, and opens a connection for later requests. */
    public <T> CompletionStage<T> refuseUnconnected(String what) {
        commands.open();
        Throwable last = commands.lastFailure();
        return CompletableFuture.failedFuture(
                last == null
                        ? RedisFailures.of(
                                new RedisConnection.LostException("it is being made", false),
                                connector.toString(),
                                what)
                        : RedisFailures.ofConnecting(last, connector.toString(), what));
    }

    /**
     * Returns the reason why the last attempt to connect failed; null if there is a connection, or none has been tried
     * since the last.
     */
    public @Nullable String downBecause() {
        Throwable last = downCause();
        return last == null ? null : RedisFailures.why(last);
    }

    /** Returns the failure of which {@link #downBecause()} tells. */
    public @Nullable Throwable downCause() {
        return isConnected() ? null : commands.lastFailure();
    }

    private <T> CompletableFuture<T> run(
            String what, RedisConnection connection, Script script, Rest rest, Reply.Reader<T> reader) {
        CompletableFuture<T> result = new CompletableFuture<>();
        if (script.hasItsPlace() && !connection.knows(script)) {
            whole(what, connection, script, rest, reader, result);
            result.thenRun(() -> connection.learns(script));
            return result;
        }
        ask(connection);
        ClockReading sentAt = time.now();
        connection
                .send(
                        CommandType.EVALSHA,
                        rest.addTo(new CommandBuilder().add(texts.sha(script)), sentAt)
                                .args())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        Reply.read(result, reader, sentAt, answer, connector.toString(), what);
                    } else if (Causes.of(failure) instanceof RedisNoScriptException) {
                        try {
                            whole(what, connection, script, rest, reader, result);
                        } catch (RuntimeException | Error e) {
                            result.completeExceptionally(e);
                        }
                    } else {
                        result.completeExceptionally(failed(what, connection, failure));
                    }
                });
        return result;
    }

    private <T> void whole(
            String what,
            RedisConnection connection,
            Script script,
            Rest rest,
            Reply.Reader<T> reader,
            CompletableFuture<T> result) {
        ask(connection);
        ClockReading sentAt = time.now();
        connection
                .send(
                        CommandType.EVAL,
                        rest.addTo(new CommandBuilder().add(texts.text(script)), sentAt)
                                .args())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        Reply.read(result, reader, sentAt, answer, connector.toString(), what);
                    } else {
                        result.completeExceptionally(failed(what, connection, failure));
                    }
                });
    }

    // Should another command slip in between, the server sends ours back to the other node, and it is sent again.
    private void ask(RedisConnection connection) {
        if (asking) {
            connection.send(CommandType.ASKING, new CommandArgs<>(RedisConnection.CODEC));
        }
    }

    private interface Sending<T> {
        CompletableFuture<T> on(RedisConnection connection);
    }

    private <T> CompletionStage<T> onConnection(String what, Sending<T> sending) {
        RedisConnection open = commands.now();
        if (open != null) {
            return sending.on(open);
        }
        return mapped(commands.open(), failure -> RedisFailures.ofConnecting(failure, connector.toString(), what))
                .thenCompose(sending::on);
    }

    private LockException failed(String what, RedisConnection connection, Throwable failure) {
        if (Causes.of(failure) instanceof RedisCommandExecutionException error
                && RedisFailures.code(error).equals("READONLY")) {
            connection.lose("the server is not the master any more");
        }
        return RedisFailures.of(failure, connector.toString(), what);
    }

    /** Returns a future that fails with a translation of the failure. */
    static <T> CompletableFuture<T> mapped(
            CompletableFuture<T> from, java.util.function.Function<Throwable, RuntimeException> failureOf) {
        CompletableFuture<T> to = new CompletableFuture<>();
        from.whenComplete(
                (value, failure) -> Stages.settle(to, value, failure == null ? null : failureOf.apply(failure)));
        return to;
    }
}

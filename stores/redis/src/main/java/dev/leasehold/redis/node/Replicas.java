package dev.leasehold.redis.node;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.internal.Causes;
import dev.leasehold.internal.Guard;
import dev.leasehold.internal.WholeMillis;
import dev.leasehold.redis.connection.ConnectionFactory;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.ReconnectingConnection;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.script.Reply;
import dev.leasehold.redis.script.Script;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Replicas are waited for until they have what their master has answered: a lease that was granted or renewed.
 *
 * <p>WAIT stops the connection on which it is sent, and asks for what that same connection has written. So it has a
 * connection of its own, on which each lease is first looked for and written again as it is. Both in one step, because
 * that connection may lead to another server than the one that has answered, after a fail-over: a server that does not
 * have the lease, or is no master, acknowledges nothing. Requests that come in during a WAIT share the next one.
 */
final class Replicas {

    private record Request(LeaseId lease, String key, boolean asking, CompletableFuture<@Nullable Void> done) {}

    private final String name;
    private final ReconnectingConnection reconnectingConnection;
    private final TimeSource time;
    private final Duration storeTimeout;
    private final int needed;
    private final Duration timeout;

    private final Guard mutex = new Guard();
    private List<Request> gathered = new ArrayList<>();
    private boolean underWay;

    Replicas(Connector connector, StoreContext context, RedisSettings settings) {
        name = connector + " (replicas)";
        needed = settings.replicas();
        timeout = settings.replicaTimeout();
        time = context.time();
        storeTimeout = context.storeTimeout();
        reconnectingConnection = new ConnectionFactory(context, connector)
                .reconnectingConnection(name, timeout, connector::connect, () -> {});
    }

    /**
     * Completes when enough replicas have a lease; exceptionally if that has not been heard in time.
     *
     * @param key the lock's key
     * @param asking whether the key is on its way to this server
     * @param startedAt when the operation began that waits for this
     */
    CompletableFuture<@Nullable Void> have(LeaseId lease, String key, boolean asking, long startedAt) {
        Request request = new Request(lease, key, asking, new CompletableFuture<>());
        long most = startedAt + storeTimeout.toNanos() / 20 * 19 - time.nanos();
        TimeSource.Timer limit = time.schedule(
                Duration.ofNanos(most), () -> fail(request, "its server did not say in time whether they have it"));
        request.done.whenComplete((done, failure) -> limit.cancel());
        mutex.lock();
        try {
            gathered.add(request);
            if (underWay) {
                return request.done;
            }
            underWay = true;
        } finally {
            mutex.unlock();
        }
        next();
        return request.done;
    }

    private void next() {
        List<Request> round;
        mutex.lock();
        try {
            round = gathered;
            gathered = new ArrayList<>();
            underWay = !round.isEmpty();
        } finally {
            mutex.unlock();
        }
        if (!round.isEmpty()) {
            reconnectingConnection.open().whenComplete((connection, failure) -> {
                if (failure == null) {
                    waitOn(connection, round);
                } else {
                    for (Request request : round) {
                        fail(request, RedisFailures.ofConnecting(failure, name, what(request)));
                    }
                    next();
                }
            });
        }
    }

    private void waitOn(RedisConnection connection, List<Request> round) {
        List<CompletableFuture<List<Object>>> found = new ArrayList<>(round.size());
        for (Request request : round) {
            if (request.asking) {
                connection.send(CommandType.ASKING, new CommandArgs<>(RedisConnection.CODEC));
            }
            found.add(connection.send(
                    CommandType.EVAL,
                    new CommandArgs<>(RedisConnection.CODEC)
                            .add(Script.ACKNOWLEDGE.text())
                            .add(1)
                            .addKey(request.key)
                            .add(Reply.beginning(request.lease))));
        }
        // Answers come in the order of the commands: when WAIT is answered, all are.
        connection
                .send(
                        CommandType.WAIT,
                        new CommandArgs<>(RedisConnection.CODEC).add(needed).add(WholeMillis.up(timeout)))
                .whenComplete((answer, failure) -> {
                    for (int i = 0; i < round.size(); i++) {
                        settle(connection, round.get(i), found.get(i), answer, failure);
                    }
                    next();
                });
    }

    private void settle(
            RedisConnection connection,
            Request request,
            CompletableFuture<List<Object>> found,
            @Nullable List<Object> acknowledged,
            @Nullable Throwable failure) {
        found.whenComplete((here, unanswered) -> {
            Throwable problem = unanswered != null ? unanswered : failure;
            if (problem != null) {
                fail(request, failed(connection, request, problem));
            } else if (Reply.number(here.get(0)) != 1) {
                fail(
                        request,
                        "the server that was asked for its replicas does not have it; there may have been a fail-over");
            } else {
                long have = acknowledged == null ? 0 : Reply.number(acknowledged.get(0));
                if (have >= needed) {
                    request.done.complete(null);
                } else {
                    fail(
                            request,
                            "only " + have + " of the " + needed + " replicas asked for acknowledged it within "
                                    + timeout);
                }
            }
        });
    }

    /**
     * The lease was granted or renewed before, so an error says nothing of it: a server that becomes a replica ends each
     * WAIT with one. The claim is asked again, perhaps of another server. Only a right that is missing is missing the
     * next time, too.
     */
    private RuntimeException failed(RedisConnection connection, Request request, Throwable problem) {
        LockException told = RedisFailures.of(problem, name, what(request));
        if (!(Causes.of(problem) instanceof RedisCommandExecutionException error)
                || RedisFailures.code(error).equals("NOPERM")) {
            return told;
        }
        connection.lose("the server does not wait for its replicas: " + error.getMessage());
        return new StoreUnavailableException(
                name + ": the lease of '" + request.lease.lock()
                        + "' does not count, because the server ended the wait for its " + "replicas: "
                        + error.getMessage() + ". There may have been a fail-over",
                name,
                Outcome.UNKNOWN,
                error);
    }

    private static String what(Request request) {
        return "the wait for replicas of '" + request.lease.lock() + "'";
    }

    private void fail(Request request, String why) {
        fail(
                request,
                new StoreUnavailableException(
                        name + ": the lease of '" + request.lease.lock() + "' does not count: " + why
                                + ". Check the master's replicas",
                        name,
                        Outcome.UNKNOWN,
                        null));
    }

    private static void fail(Request request, RuntimeException failure) {
        request.done.completeExceptionally(failure);
    }

    CompletableFuture<@Nullable Void> close() {
        return reconnectingConnection.close();
    }
}

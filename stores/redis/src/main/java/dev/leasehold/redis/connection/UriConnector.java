package dev.leasehold.redis.connection;

import dev.leasehold.internal.Causes;
import dev.leasehold.internal.DaemonThreads;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A URI connector has a Lettuce client connect to one URI. With a Sentinel URI, it asks the sentinel for the master at each
 * connection.
 *
 * @param uri where to; null for the URI that the client was made with, which only its blocking methods know
 */
public record UriConnector(RedisClient client, @Nullable RedisURI uri, String name) implements Connector {

    private static final Executor BRIEF_THREAD =
            task -> DaemonThreads.unstarted("leasehold-redis-connect", task).start();

    @Override
    public CompletionStage<? extends StatefulRedisConnection<String, String>> connect() {
        RedisURI to = uri;
        return to == null
                ? CompletableFuture.supplyAsync(() -> client.connect(RedisConnection.CODEC), BRIEF_THREAD)
                : master(to).thenCompose(master -> toldWhy(() -> client.connectAsync(RedisConnection.CODEC, master)));
    }

    @Override
    public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
        RedisURI to = uri;
        return to == null
                ? CompletableFuture.supplyAsync(() -> client.connectPubSub(RedisConnection.CODEC), BRIEF_THREAD)
                : master(to)
                        .thenCompose(master -> toldWhy(() -> client.connectPubSubAsync(RedisConnection.CODEC, master)));
    }

    /** Asks a sentinel. Lettuce would do it with threads of Reactor, which stay when an application is stopped. */
    private CompletionStage<RedisURI> master(RedisURI to) {
        if (to.getSentinels().isEmpty()) {
            return CompletableFuture.completedFuture(to);
        }
        return toldWhy(() -> client.connectSentinelAsync(RedisConnection.CODEC, to))
                .thenCompose(sentinel -> {
                    CompletableFuture<SocketAddress> asked = sentinel.async()
                            .getMasterAddrByName(to.getSentinelMasterId())
                            .toCompletableFuture();
                    Future<?> limit = client.getResources()
                            .eventExecutorGroup()
                            .schedule(
                                    () -> asked.completeExceptionally(
                                            new RedisCommandTimeoutException("the sentinel did not answer")),
                                    to.getTimeout().toMillis(),
                                    TimeUnit.MILLISECONDS);
                    return asked.whenComplete((address, why) -> {
                        limit.cancel(false);
                        sentinel.closeAsync();
                    });
                })
                .thenApply(address -> {
                    if (address instanceof InetSocketAddress at) {
                        return RedisURI.builder(to)
                                .withHost(at.getHostString())
                                .withPort(at.getPort())
                                .build();
                    }
                    throw new RedisException("the sentinel knows no master '" + to.getSentinelMasterId() + "'");
                });
    }

    /**
     * Lettuce loses a refusal, and fails with an {@link IllegalStateException}, where the connection is closed before the thread that
     * opens it listens. So it is asked once more. With a client of ours that cannot be ({@link OwnClient}); a given one may lose the second too.
     */
    private static <C> CompletionStage<C> toldWhy(Supplier<? extends CompletionStage<C>> open) {
        return open.get()
                .toCompletableFuture()
                .exceptionallyCompose(why -> Causes.has(why, IllegalStateException.class)
                        ? open.get()
                        : CompletableFuture.failedFuture(why));
    }

    /** A client that was made with a Sentinel URI asks one sentinel after the other, ten seconds each unless it says otherwise. */
    @Override
    public Duration longest(Duration storeTimeout, boolean first) {
        return uri == null ? Duration.ofMinutes(1) : Connector.super.longest(storeTimeout, first);
    }

    @Override
    public String toString() {
        return name;
    }
}

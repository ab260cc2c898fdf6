package dev.leasehold.redis.connection;

import dev.leasehold.internal.Causes;
import dev.leasehold.internal.DaemonThreads;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A URI connector has a Lettuce client connect to one URI. With a Sentinel URI, Lettuce asks the sentinels for the master at
 * each connection.
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
                : toldWhy(() -> client.connectAsync(RedisConnection.CODEC, to));
    }

    @Override
    public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
        RedisURI to = uri;
        return to == null
                ? CompletableFuture.supplyAsync(() -> client.connectPubSub(RedisConnection.CODEC), BRIEF_THREAD)
                : toldWhy(() -> client.connectPubSubAsync(RedisConnection.CODEC, to));
    }

    /**
     * Lettuce loses a refusal, and fails with an {@link IllegalStateException}, where the server has closed the connection before the
     * thread that opens it listens. The second attempt is made on the thread that reads its answer.
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

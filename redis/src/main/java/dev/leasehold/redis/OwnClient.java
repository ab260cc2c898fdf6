package dev.leasehold.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce client for one store, with the fewest threads that Lettuce allows. Its connections neither reconnect nor
 * replay, and when one is closed what it has not sent yet is thrown away.
 */
final class OwnClient {

    private static final int THREADS = 2;

    private final RedisClient client;
    private final @Nullable ClientResources resources;

    private OwnClient(RedisClient client, @Nullable ClientResources resources) {
        this.client = client;
        this.resources = resources;
    }

    /** A client with threads of its own. */
    OwnClient(Duration connectTimeout) {
        this(connectTimeout, threads());
    }

    private OwnClient(Duration connectTimeout, ClientResources resources) {
        this(RedisClient.create(resources), resources);
        client.setOptions(unaided(ClientOptions.builder()
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectTimeout)
                        .keepAlive(true)
                        .build())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())));
    }

    /** A client over the threads of another, if there is one, with its TLS and socket options; the other is never closed. */
    static OwnClient overOrOwn(@Nullable RedisClient other, Duration connectTimeout) {
        if (other == null) {
            return new OwnClient(connectTimeout);
        }
        RedisClient client = RedisClient.create(other.getResources());
        client.setOptions(unaided(other.getOptions().mutate()));
        return new OwnClient(client, null);
    }

    private static ClientOptions unaided(ClientOptions.Builder options) {
        return options.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    private static ClientResources threads() {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .threadFactoryProvider(pool -> new DefaultThreadFactory("leasehold-redis-" + pool, true))
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterBootstrapInitialized(Bootstrap bootstrap) {
                        bootstrap.option(ChannelOption.SO_LINGER, 0);
                    }
                })
                .build();
    }

    RedisClient client() {
        return client;
    }

    /** Closes the client and ends its threads, without waiting for them. */
    void close() {
        ClientResources own = resources;
        client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS).whenComplete((done, failure) -> {
            if (own != null) {
                own.shutdown(0, 0, TimeUnit.MILLISECONDS);
            }
        });
    }
}

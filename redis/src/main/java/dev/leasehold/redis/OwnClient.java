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

/**
 * A Lettuce client for one store, with the fewest threads that Lettuce allows. Its connections neither reconnect nor
 * replay, and when one is closed what it has not sent yet is thrown away.
 */
final class OwnClient {

    private static final int THREADS = 2;

    private final ClientResources resources;
    private final RedisClient client;

    OwnClient(Duration connectTimeout) {
        resources = DefaultClientResources.builder()
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
        client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectTimeout)
                        .keepAlive(true)
                        .build())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .build());
    }

    RedisClient client() {
        return client;
    }

    /** Closes the client and ends its threads, without waiting for them. */
    void close() {
        client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS)
                .whenComplete((done, failure) -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS));
    }
}

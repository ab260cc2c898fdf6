package dev.leasehold.redis.connection;

import dev.leasehold.internal.DaemonThreads;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An own client is a Lettuce client that Leasehold makes for one store, with the fewest threads that Lettuce allows. Its connections neither
 * reconnect nor replay, and when one is closed what it has not sent yet is thrown away.
 */
public final class OwnClient {

    private static final int OTHER_THREADS = 2;
    private static final long CLOSING_MILLIS = 10_000;
    private static final ThreadFactoryProvider NAMED = pool -> new InheritingNothing("leasehold-redis-" + pool);

    /** A firewall or balancer may drop a connection that is idle for some minutes. */
    private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
            .enable()
            .idle(Duration.ofSeconds(30))
            .interval(Duration.ofSeconds(10))
            .count(3)
            .build();

    private final RedisClient client;
    private final @Nullable ClientResources resources;
    private final @Nullable EventLoopGroupProvider loops;

    private OwnClient(RedisClient client, @Nullable ClientResources resources, @Nullable EventLoopGroupProvider loops) {
        this.client = client;
        this.resources = resources;
        this.loops = loops;
    }

    /**
     * Makes a client with one thread of its own for all its connections, because an answer on one often causes a request on
     * another.
     */
    public OwnClient(Duration connectTimeout, Tls tls) {
        this(connectTimeout, tls, new DefaultEventLoopGroupProvider(1, NAMED));
    }

    private OwnClient(Duration connectTimeout, Tls tls, EventLoopGroupProvider loops) {
        this(connectTimeout, tls, threads(loops), loops);
    }

    private OwnClient(Duration connectTimeout, Tls tls, ClientResources resources, EventLoopGroupProvider loops) {
        this(new OpensOnTheLoop(resources), resources, loops);
        client.setOptions(unaided(tls.in(ClientOptions.builder())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(connectTimeout)
                        .keepAlive(KEEP_ALIVE)
                        .build())
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())));
    }

    /**
     * Makes a client for a quorum, over the threads of another, if there is one, with its TLS and socket options; the
     * other is never closed. With threads of its own, what is sent to all masters at once, and answered by all at once,
     * is one wake-up.
     */
    public static OwnClient overOrOwn(@Nullable RedisClient other, Duration connectTimeout, Tls tls) {
        if (other == null) {
            return new OwnClient(connectTimeout, tls);
        }
        RedisClient client = RedisClient.create(other.getResources());
        client.setOptions(unaided(other.getOptions().mutate()));
        return new OwnClient(client, null, null);
    }

    private static ClientOptions unaided(ClientOptions.Builder options) {
        return options.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    private static ClientResources threads(EventLoopGroupProvider loops) {
        return DefaultClientResources.builder()
                .eventLoopGroupProvider(loops)
                .computationThreadPoolSize(OTHER_THREADS)
                .threadFactoryProvider(NAMED)
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterBootstrapInitialized(Bootstrap bootstrap) {
                        bootstrap.option(ChannelOption.SO_LINGER, 0);
                    }
                })
                .build();
    }

    public RedisClient client() {
        return client;
    }

    /**
     * This client opens connections on the thread that reads their answers. Another one might come too late to hear of a refusal:
     * where the server has closed the connection by then, Lettuce fails with an {@link IllegalStateException}.
     */
    private static final class OpensOnTheLoop extends RedisClient {

        OpensOnTheLoop(ClientResources resources) {
            super(resources, new RedisURI());
        }

        @Override
        protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
                ConnectionBuilder builder) {
            EventLoop loop = builder.bootstrap().config().group().next();
            if (loop.inEventLoop()) {
                return super.initializeChannelAsync(builder);
            }
            CompletableFuture<ConnectionFuture<T>> opening =
                    CompletableFuture.supplyAsync(() -> super.initializeChannelAsync(builder), loop);
            return ConnectionFuture.from(null, opening.thenCompose(Function.identity()));
        }
    }

    /** This factory makes Netty's threads, which are quicker for Netty than plain ones. */
    private static final class InheritingNothing extends DefaultThreadFactory {

        InheritingNothing(String pool) {
            super(pool, true);
        }

        @Override
        public Thread newThread(Runnable task) {
            return DaemonThreads.inheritNothing("leasehold-redis", () -> super.newThread(task));
        }
    }

    /** Closes the client and ends its threads, as {@link #closeAfter} does. */
    public void close() {
        closeAfter(client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS), () -> {
            if (resources != null) {
                end(resources.shutdown(0, 0, TimeUnit.MILLISECONDS));
            }
            if (loops != null) {
                end(loops.shutdown(0, 0, TimeUnit.MILLISECONDS));
            }
        });
    }

    /**
     * Closes the rest when something has closed. This waits for both, ten seconds at most, because an application's class loader may be
     * closed next, and Lettuce, which loads classes while it closes, would leave its threads; but not on a thread of Netty's,
     * which has to do what would be waited for.
     */
    public static void closeAfter(CompletableFuture<?> closing, Runnable rest) {
        if (isNettys()) {
            closing.whenComplete((done, failure) -> rest.run());
            return;
        }
        try {
            closing.get(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The rest is closed all the same.
        }
        rest.run();
    }

    private static void end(Future<?> ending) {
        if (!isNettys()) {
            ending.awaitUninterruptibly(CLOSING_MILLIS);
        }
    }

    private static boolean isNettys() {
        return Thread.currentThread() instanceof FastThreadLocalThread;
    }
}

package dev.leasehold.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.SimulatedProcess;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testtools.SimWorld;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** These tests are about the pauses between attempts to connect again, on virtual time. */
class ReconnectingConnectionTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final long SECOND = 1_000_000_000L;

    private final SimWorld world = new SimWorld(1, null);
    private final SimulatedProcess time = new SimulatedProcess(world, "a client", 1, 0);
    private final List<RedisConnection> opened = new ArrayList<>();

    private final ReconnectingConnection reconnectingConnection = new ReconnectingConnection(
            "a server",
            () -> {
                RedisConnection connection = new RedisConnection(connection(), time, LONG, LONG);
                opened.add(connection);
                return CompletableFuture.completedFuture(connection);
            },
            time,
            first -> LONG,
            () -> {});

    @SuppressWarnings("unchecked")
    private static StatefulRedisConnection<String, String> connection() {
        return (StatefulRedisConnection<String, String>) Proxy.newProxyInstance(
                ReconnectingConnectionTest.class.getClassLoader(),
                new Class<?>[] {StatefulRedisConnection.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "isOpen" -> true;
                    case "addListener" -> null;
                    case "closeAsync" -> CompletableFuture.completedFuture(null);
                    default -> throw new IllegalStateException(method.getName());
                });
    }

    private void pass(long nanos) {
        long end = world.now() + nanos;
        boolean more = true;
        while (more) {
            more = world.step(end);
        }
    }

    /** Each of them made all leases be asked for again. */
    @Test
    void aDemotedMasterIsConnectedToOnceASecond() {
        for (int i = 0; i < 10_000; i++) {
            reconnectingConnection
                    .open()
                    .thenAccept(connection -> connection.lose("the server is not the master any more"));
            pass(SECOND / 1000);
        }
        assertThat(opened).hasSizeBetween(10, 30);
    }

    @Test
    void aConnectionThatHasLivedForASecondIsReplacedAtOnce() {
        for (int i = 1; i <= 20; i++) {
            assertThat(reconnectingConnection.open()).isCompleted();
            assertThat(opened).hasSize(i);
            pass(SECOND + 1);
            opened.get(i - 1).lose("it was cut");
        }
    }

    @Test
    void connectionsCutYoungAreReplacedWhenNeeded() {
        for (int i = 1; i <= 5; i++) {
            reconnectingConnection.open().thenAccept(connection -> connection.lose("it was cut"));
            assertThat(opened).hasSize(i);
        }
        assertThat(reconnectingConnection.open()).isCompleted();
    }

    /** A JVM that had just started was given half, and its first calls failed with a store timeout of 5 s or less. */
    @Test
    void aFirstConnectionMayTakeMoreThanHalf() {
        Duration storeTimeout = Duration.ofSeconds(5);
        Connector server = opensLate();
        ReconnectingConnection slow = new ConnectionFactory(
                        new StoreContext("c", "owner", "", time, storeTimeout, new NoSignals()), server)
                .reconnectingConnection("a server", server::connect, () -> {});
        CompletableFuture<RedisConnection> first = slow.open();
        pass(3 * SECOND + 1);
        assertThat(first).isCompleted();

        first.join().lose("it was cut");
        pass(SECOND);
        CompletableFuture<RedisConnection> second = slow.open();
        pass(5 * SECOND / 2 + 1);
        assertThat(second).isCompletedExceptionally();
    }

    private Connector opensLate() {
        return new Connector() {
            @Override
            public CompletionStage<StatefulRedisConnection<String, String>> connect() {
                CompletableFuture<StatefulRedisConnection<String, String>> opening = new CompletableFuture<>();
                time.schedule(Duration.ofSeconds(3), () -> opening.complete(connection()));
                return opening;
            }

            @Override
            public CompletionStage<StatefulRedisPubSubConnection<String, String>> listen() {
                throw new IllegalStateException("nobody listens");
            }
        };
    }
}

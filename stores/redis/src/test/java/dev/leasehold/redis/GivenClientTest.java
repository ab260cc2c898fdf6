package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** These tests are about locks over a Lettuce client that belongs to the user. */
@Tag("slow")
class GivenClientTest {

    @RegisterExtension
    private final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    private FaultProxy proxy;
    private RedisClient given;

    @BeforeEach
    void start() {
        proxy = FaultProxy.to(redis.get().port());
        given = RedisClient.create("redis://localhost:" + proxy.port());
    }

    @AfterEach
    void stop() {
        given.shutdown();
        proxy.close();
    }

    private Leasehold over(StoreFactory store) {
        return Leasehold.builder().store(store).build();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"RESP2", "RESP3"})
    void bothProtocolsLockWaitAndHandOver(ProtocolVersion protocol) throws Exception {
        given.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
        try (Leasehold one = over(RedisStore.using(given));
                Leasehold other = over(RedisStore.using(given))) {
            Lease first = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
            await().until(() -> redis.get().commands().exists("leasehold:{x}:queue") == 1);
            assertThat(one.locks("x").get(0).waiters()).hasSize(1);
            String expected = "resp=" + (protocol == ProtocolVersion.RESP2 ? 2 : 3);
            assertThat(redis.get()
                            .commands()
                            .clientList()
                            .lines()
                            .filter(line -> line.matches(".*cmd=(evalsha|subscribe|scan) .*"))
                            .toList())
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allMatch(line -> line.contains(expected));
            first.release();
            Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(one.breakLock("x", second.token())).isTrue();
            await().until(() -> second.state() == LeaseState.LOST);
        }
    }

    @Test
    void aClientThatReconnectsByItselfSendsNothingAgain() throws Exception {
        given.setOptions(ClientOptions.builder().autoReconnect(true).build());
        try (Leasehold client = over(RedisStore.using(given))) {
            Lease lease = client.lock("x").acquire();
            proxy.hold(FaultProxy.Way.REQUESTS);
            CompletableFuture<LeaseState> released = lease.releaseAsync().toCompletableFuture();
            proxy.cut();
            proxy.letGo();
            assertThat(released.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(LeaseState.RELEASED);
            Lease next = client.lock("x").acquire();
            next.extend(Duration.ofSeconds(40));
            assertThat(next.isValid()).isTrue();
        }
    }

    @Test
    void closingLeavesTheClientAndItsConnectionsAlone() throws Exception {
        var own = given.connect();
        Leasehold client = over(RedisStore.using(given));
        client.lock("x").acquire().close();
        client.close();
        assertThat(own.sync().ping()).isEqualTo("PONG");
        try (Leasehold again = over(RedisStore.using(given))) {
            assertThat(again.lock("x").tryAcquire()).isPresent();
        }
        await().until(() -> redis.get().commands().clientList().lines().count() == 2);
    }

    /** Two Nettys, say: each call took as long as an outage. */
    @Test
    void aClientWhoseLibrariesDoNotFitIsRefused() throws Exception {
        RedisClient unfit = new RedisClient(given.getResources(), RedisURI.create("redis://localhost")) {
            @Override
            public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
                    RedisCodec<K, V> codec, RedisURI uri) {
                throw new NoSuchMethodError("io.netty.Of(another.Version)");
            }
        };
        try (Leasehold one = Leasehold.builder()
                        .store(RedisStore.using(unfit, RedisURI.create("redis://localhost")))
                        .storeTimeout(Duration.ofHours(1))
                        .build();
                Leasehold cluster = Leasehold.builder()
                        .store(RedisStore.usingCluster(unfit, List.of(RedisURI.create("redis://localhost"))))
                        .storeTimeout(Duration.ofHours(1))
                        .build()) {
            for (Leasehold client : List.of(one, cluster)) {
                assertThatThrownBy(() -> client.lock("x").acquireAsync().get(A_MINUTE, TimeUnit.SECONDS))
                        .cause()
                        .isExactlyInstanceOf(LockException.class)
                        .hasMessageContaining("do not fit together: java.lang.NoSuchMethodError: io.netty.Of");
                // The engine knows of such an error itself, but is not asked here.
                assertThatThrownBy(() -> client.locks("x"))
                        .isExactlyInstanceOf(LockException.class)
                        .hasMessageContaining("do not fit together: java.lang.NoSuchMethodError: io.netty.Of");
            }
        }
    }

    /** A user was told that a handler is not registered. */
    @Test
    void aRefusalThatLettuceLosesIsToldAtTheNextAttempt() {
        AtomicInteger attempts = new AtomicInteger();
        RedisClient losing = new RedisClient(given.getResources(), RedisURI.create("redis://localhost")) {
            @Override
            public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
                    RedisCodec<K, V> codec, RedisURI uri) {
                return ConnectionFuture.from(
                        new InetSocketAddress(1),
                        CompletableFuture.failedFuture(
                                attempts.incrementAndGet() == 1
                                        ? new IllegalStateException("lost by Lettuce")
                                        : new RedisCommandExecutionException("NOAUTH told by the server")));
            }
        };
        try (Leasehold client = over(RedisStore.using(losing, RedisURI.create("redis://localhost")))) {
            assertThatThrownBy(() -> client.lock("x").tryAcquire()).hasMessageContaining("NOAUTH told by the server");
        }
        assertThat(attempts).hasValue(2);
    }

    /** Lettuce asks one sentinel after the other, and each of our attempts ended before it came to the second. */
    @Test
    void aSilentFirstSentinelOfItsOwnKeepsNobodyOut() throws Exception {
        try (RedisGroup group = RedisGroup.sentinel();
                RedisProcess silent = RedisProcess.start();
                RedisClient own = RedisClient.create("redis-sentinel://localhost:" + silent.port() + ",localhost:"
                        + group.servers.get(2).port() + "?timeout=7s#main");
                Leasehold client = Leasehold.builder()
                        .store(RedisStore.using(own))
                        .storeTimeout(Duration.ofMinutes(2))
                        .build()) {
            silent.signal("STOP");
            try {
                Lease lease = client.lock("x").acquireAsync().get(A_MINUTE, TimeUnit.SECONDS);
                assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            } finally {
                silent.signal("CONT");
            }
        }
    }
}

package dev.leasehold.redis.connection;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests are about the client that Leasehold makes by itself, without what Leasehold does to its connections. */
@Tag("slow")
class OwnClientTest {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(20);

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    @Test
    void itNeitherReconnectsNorSendsAgain() {
        staysCutOff(new OwnClient(CONNECT_TIMEOUT, Tls.OF_THE_JVM));
    }

    @Test
    void overAClientThatDoesItDoesNeither() {
        RedisClient given = RedisClient.create();
        given.setOptions(ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .build());
        try {
            staysCutOff(OwnClient.overOrOwn(given, CONNECT_TIMEOUT, Tls.OF_THE_JVM));
        } finally {
            given.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }

    /** A client that sends again gets the answer in the end. One that reconnects does so at once. */
    private static void staysCutOff(OwnClient own) {
        try (FaultProxy proxy = FaultProxy.to(REDIS.get().port());
                StatefulRedisConnection<String, String> connection = own.client()
                        .connect(RedisConnection.CODEC, RedisURI.create("redis://localhost:" + proxy.port()))) {
            connection.sync().ping();
            proxy.hold(FaultProxy.Way.REQUESTS);
            CompletableFuture<Long> underWay =
                    connection.async().incr("counter").toCompletableFuture();
            await().until(() -> proxy.holding() > 0);
            proxy.cut();
            proxy.letGo();
            fails(underWay);
            fails(connection.async().incr("counter").toCompletableFuture());
            await().during(Duration.ofSeconds(1)).until(() -> proxy.accepted() == 1);
        } finally {
            own.close();
        }
    }

    private static void fails(CompletableFuture<?> command) {
        assertThatThrownBy(() -> command.get(30, TimeUnit.SECONDS))
                .isNotInstanceOf(java.util.concurrent.TimeoutException.class);
    }
}

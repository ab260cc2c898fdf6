package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.StoreContract;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract with a client of the user's, set up as users do, and the older protocol; the other suites speak the newer
 * one.
 */
@Tag("slow")
class GivenClientStoreContractTest extends StoreContract {

    private static RedisProcess redis;
    private static RedisClient client;

    @BeforeAll
    static void startServer() {
        redis = RedisProcess.start().warm();
        client = RedisClient.create();
        client.setOptions(ClientOptions.builder()
                .protocolVersion(ProtocolVersion.RESP2)
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                .pingBeforeActivateConnection(false)
                .publishOnScheduler(true)
                .requestQueueSize(5000)
                .timeoutOptions(TimeoutOptions.enabled(Duration.ofSeconds(1)))
                .build());
    }

    @AfterAll
    static void stopServer() {
        // All stores have been closed by now; the client is still its owner's.
        assertThat(client.connect(RedisURI.create(redis.uri())).sync().ping()).isEqualTo("PONG");
        client.shutdown();
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return RedisStore.using(client, RedisURI.create(redis.uri()));
    }
}

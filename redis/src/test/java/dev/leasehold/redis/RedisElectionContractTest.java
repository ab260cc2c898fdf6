package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Elections over a real server. */
class RedisElectionContractTest extends ElectionContract {

    private static RedisProcess redis;

    @BeforeAll
    static void startServer() {
        redis = RedisProcess.start(RedisProcess.Version.V7_0);
        // Loads Lettuce, which on a busy machine takes longer than a connection may.
        redis.commands().ping();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider().create(StoreUri.parse(redis.uri()));
    }
}

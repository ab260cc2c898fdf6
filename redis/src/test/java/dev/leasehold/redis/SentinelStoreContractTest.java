package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class SentinelStoreContractTest extends StoreContract {

    private static RedisGroup group;

    @BeforeAll
    static void startServers() {
        group = RedisGroup.sentinel();
    }

    @AfterAll
    static void stopServers() {
        group.close();
    }

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider()
                .create(StoreUri.parse(
                        "redis-sentinel://localhost:" + group.servers.get(2).port() + "#main"));
    }
}

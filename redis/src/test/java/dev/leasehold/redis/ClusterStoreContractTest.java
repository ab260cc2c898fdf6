package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ClusterStoreContractTest extends StoreContract {

    private static RedisGroup cluster;

    @BeforeAll
    static void startServers() {
        cluster = RedisGroup.cluster();
    }

    @AfterAll
    static void stopServers() {
        cluster.close();
    }

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider().create(StoreUri.parse("redis-cluster://" + cluster.addresses()));
    }
}

package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.StoreContract;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** With sessions so long that they limit none of the suite's leases. */
class ZooKeeperStoreContractTest extends StoreContract {

    private static TestingServer server;

    @BeforeAll
    static void startServer() throws Exception {
        server = Zoo.server();
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    @Override
    protected StoreFactory store() {
        return Zoo.store(server.getConnectString(), 3_600_000);
    }
}

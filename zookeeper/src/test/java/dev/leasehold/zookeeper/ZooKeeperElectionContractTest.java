package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.ElectionContract;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Elections over a real server. */
class ZooKeeperElectionContractTest extends ElectionContract {

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
        return Zoo.store(server.getConnectString(), 10_000);
    }
}

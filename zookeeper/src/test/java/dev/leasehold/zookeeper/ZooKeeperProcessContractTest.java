package dev.leasehold.zookeeper;

import dev.leasehold.testkit.ProcessContract;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** With sessions as long as the suite's leases: they are what a dead holder blocks for. */
class ZooKeeperProcessContractTest extends ProcessContract {

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
    protected String uri() {
        return Zoo.uri(server.getConnectString(), 2_000);
    }
}

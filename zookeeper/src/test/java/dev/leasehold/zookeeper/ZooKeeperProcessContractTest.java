package dev.leasehold.zookeeper;

import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testkit.Started;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run with sessions as long as the suite's leases: they are what a dead holder blocks for. */
class ZooKeeperProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<TestingServer> SERVER = new Started<>(Zoo::server);

    @Override
    protected String uri() {
        return Zoo.uri(SERVER.get().getConnectString(), 2_000);
    }
}

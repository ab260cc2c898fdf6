package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.ElectionContract;
import dev.leasehold.testtools.Started;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run elections over a real server. */
@Tag("slow")
class ZooKeeperElectionContractTest extends ElectionContract {

    @RegisterExtension
    private static final Started<TestingServer> SERVER = new Started<>(Zoo::server);

    @Override
    protected StoreFactory store() {
        return Zoo.store(SERVER.get().getConnectString(), 10_000);
    }
}

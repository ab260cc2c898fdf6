package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testtools.Started;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run with sessions so long that they limit none of the suite's leases. */
@Tag("slow")
class ZooKeeperLeaseholdContractTest extends LeaseholdContract {

    @RegisterExtension
    private static final Started<TestingServer> SERVER = new Started<>(Zoo::server);

    @Override
    protected StoreFactory store() {
        return Zoo.store(SERVER.get().getConnectString(), 3_600_000);
    }
}

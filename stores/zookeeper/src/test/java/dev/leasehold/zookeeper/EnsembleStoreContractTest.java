package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run an ensemble of three, with sessions so long that they limit none of the suite's leases. */
@Tag("extended")
class EnsembleStoreContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<TestingCluster> ENSEMBLE = new Started<>(Zoo::ensemble);

    @Override
    protected StoreFactory store() {
        return Zoo.store(Zoo.servers(ENSEMBLE.get()), 3_600_000);
    }
}

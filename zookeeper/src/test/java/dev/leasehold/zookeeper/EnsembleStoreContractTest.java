package dev.leasehold.zookeeper;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.StoreContract;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** An ensemble of three, with sessions so long that they limit none of the suite's leases. */
class EnsembleStoreContractTest extends StoreContract {

    private static TestingCluster ensemble;

    @BeforeAll
    static void startEnsemble() throws Exception {
        ensemble = Zoo.ensemble();
    }

    @AfterAll
    static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @Override
    protected StoreFactory store() {
        return Zoo.store(Zoo.servers(ensemble), 3_600_000);
    }
}

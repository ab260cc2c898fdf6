package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;

/** Elections over the store in memory. */
class MemoryElectionContractTest extends ElectionContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

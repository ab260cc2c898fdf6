package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;

/** These tests run elections over the store in memory. */
class MemoryElectionContractTest extends ElectionContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;

/** These tests run the API over the store in memory. */
class MemoryLeaseholdContractTest extends LeaseholdContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

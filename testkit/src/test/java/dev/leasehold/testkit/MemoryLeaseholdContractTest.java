package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;

/** The API over the store in memory. */
class MemoryLeaseholdContractTest extends LeaseholdContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

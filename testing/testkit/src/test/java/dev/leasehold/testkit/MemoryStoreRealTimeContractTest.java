package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;

/** These tests run the store in memory, on the machine's time: as the suite meets stores on real servers. */
class MemoryStoreRealTimeContractTest extends StoreContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

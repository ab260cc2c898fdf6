package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import org.junit.jupiter.api.Tag;

/** These tests run the API over the store in memory. */
@Tag("slow")
class MemoryLeaseholdContractTest extends LeaseholdContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

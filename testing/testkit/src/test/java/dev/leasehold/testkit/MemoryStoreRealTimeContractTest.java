package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import org.junit.jupiter.api.Tag;

/** These tests run the store in memory, on the machine's time: as the suite meets stores on real servers. */
@Tag("slow")
class MemoryStoreRealTimeContractTest extends StoreContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

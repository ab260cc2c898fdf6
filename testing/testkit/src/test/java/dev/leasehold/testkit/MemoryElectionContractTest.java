package dev.leasehold.testkit;

import dev.leasehold.spi.StoreFactory;
import org.junit.jupiter.api.Tag;

/** These tests run elections over the store in memory. */
@Tag("slow")
class MemoryElectionContractTest extends ElectionContract {

    @Override
    protected StoreFactory store() {
        return MemoryStoreContractTest.memory();
    }
}

package dev.leasehold.redis;

import org.junit.jupiter.api.Tag;

@Tag("extended")
class RedlockOfFourStoreContractTest extends RedlockContracts {

    RedlockOfFourStoreContractTest() {
        super(4);
    }
}

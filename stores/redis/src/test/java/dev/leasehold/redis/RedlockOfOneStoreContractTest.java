package dev.leasehold.redis;

import org.junit.jupiter.api.Tag;

@Tag("extended")
class RedlockOfOneStoreContractTest extends RedlockContracts {

    RedlockOfOneStoreContractTest() {
        super(1);
    }
}

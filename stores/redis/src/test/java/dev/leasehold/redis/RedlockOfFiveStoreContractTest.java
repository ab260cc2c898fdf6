package dev.leasehold.redis;

import org.junit.jupiter.api.Tag;

@Tag("extended")
class RedlockOfFiveStoreContractTest extends RedlockContracts {

    RedlockOfFiveStoreContractTest() {
        super(5);
    }
}

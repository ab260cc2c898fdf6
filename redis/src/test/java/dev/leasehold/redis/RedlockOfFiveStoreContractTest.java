package dev.leasehold.redis;

class RedlockOfFiveStoreContractTest extends RedlockContracts {

    RedlockOfFiveStoreContractTest() {
        super(5);
    }
}

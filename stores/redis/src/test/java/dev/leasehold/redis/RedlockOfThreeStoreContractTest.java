package dev.leasehold.redis;

class RedlockOfThreeStoreContractTest extends RedlockContracts {

    RedlockOfThreeStoreContractTest() {
        super(3);
    }
}

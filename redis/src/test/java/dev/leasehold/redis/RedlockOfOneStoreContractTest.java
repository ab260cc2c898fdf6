package dev.leasehold.redis;

class RedlockOfOneStoreContractTest extends RedlockContracts {

    RedlockOfOneStoreContractTest() {
        super(1);
    }
}

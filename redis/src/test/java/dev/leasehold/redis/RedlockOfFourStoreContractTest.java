package dev.leasehold.redis;

class RedlockOfFourStoreContractTest extends RedlockContracts {

    RedlockOfFourStoreContractTest() {
        super(4);
    }
}

package dev.leasehold.redis;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Redlock contracts are those of a store on a quorum of a given number of real masters. One after the other: of a lease of 150 ms
 * each master has 15 ms for its answer.
 */
@Execution(ExecutionMode.SAME_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedlockContracts extends StoreContract {

    private final int count;
    private Masters masters;
    private RedlockStore store;

    RedlockContracts(int count) {
        this.count = count;
    }

    @BeforeAll
    void startServers() {
        masters = Masters.start(count);
        store = masters.initialized();
    }

    @AfterAll
    void stopServers() {
        masters.close();
    }

    @Override
    protected boolean handsOverInTheSameStep() {
        return false;
    }

    @Override
    protected StoreFactory store() {
        return store;
    }
}

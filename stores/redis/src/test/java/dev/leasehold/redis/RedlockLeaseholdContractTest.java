package dev.leasehold.redis;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("extended")
class RedlockLeaseholdContractTest extends LeaseholdContract {

    @RegisterExtension
    private static final Started<Masters> MASTERS = new Started<>(() -> Masters.start(3));

    private static RedlockStore store;

    @BeforeAll
    static void initialize() {
        store = MASTERS.get().initialized();
    }

    @Override
    protected StoreFactory store() {
        return store;
    }
}

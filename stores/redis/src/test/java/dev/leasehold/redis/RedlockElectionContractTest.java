package dev.leasehold.redis;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.ElectionContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run elections over three real masters. */
@Tag("extended")
class RedlockElectionContractTest extends ElectionContract {

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

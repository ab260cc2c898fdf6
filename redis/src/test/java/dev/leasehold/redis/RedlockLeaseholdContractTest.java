package dev.leasehold.redis;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.LeaseholdContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("extended")
class RedlockLeaseholdContractTest extends LeaseholdContract {

    private static Masters masters;
    private static RedlockStore store;

    @BeforeAll
    static void startServers() {
        masters = Masters.start(3);
        store = RedlockStore.of(masters.uris())
                .withMaxLease(Duration.ofHours(1))
                .withNodeTimeout(Duration.ofSeconds(2));
        store.initialize();
    }

    @AfterAll
    static void stopServers() {
        masters.close();
    }

    @Override
    protected StoreFactory store() {
        return store;
    }
}

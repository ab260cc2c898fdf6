package dev.leasehold.jdbc;

import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.LeaseholdContract;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** These tests run over H2 in memory. */
@Tag("extended")
class H2LeaseholdContractTest extends LeaseholdContract {

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider()
                .create(StoreUri.parse("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));
    }
}

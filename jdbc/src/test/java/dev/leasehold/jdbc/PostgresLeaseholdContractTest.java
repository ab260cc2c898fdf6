package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.LeaseholdContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("extended")
class PostgresLeaseholdContractTest extends LeaseholdContract {

    private static PostgresServer postgres;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(postgres.url()));
    }
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Elections over PostgreSQL. */
class PostgresElectionContractTest extends ElectionContract {

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

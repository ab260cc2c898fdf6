package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Elections over MariaDB. */
@Tag("extended")
class MariaDbElectionContractTest extends ElectionContract {

    private static MariaDbServer mariadb;

    @BeforeAll
    static void startServer() {
        mariadb = MariaDbServer.start();
    }

    @AfterAll
    static void stopServer() {
        mariadb.close();
    }

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(mariadb.url()));
    }
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** MySQL's driver and dialect, on MariaDB: no MySQL server can be had from Maven Central. */
@Tag("extended")
class MySqlDriverContractTest extends StoreContract {

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
        return new JdbcStoreProvider().create(StoreUri.parse(mariadb.mysqlUrl() + "&leasehold.dialect=mysql"));
    }
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run MySQL's driver and dialect, on MariaDB: no MySQL server is available from Maven Central. */
@Tag("extended")
class MySqlDriverContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(MARIADB.get().mysqlUrl() + "&leasehold.dialect=mysql"));
    }
}

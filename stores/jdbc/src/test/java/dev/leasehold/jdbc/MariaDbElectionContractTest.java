package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run elections over MariaDB. */
@Tag("extended")
class MariaDbElectionContractTest extends ElectionContract {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(MARIADB.get().url()));
    }
}

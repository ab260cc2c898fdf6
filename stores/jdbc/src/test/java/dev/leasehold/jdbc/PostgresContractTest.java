package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(POSTGRES.get().url()));
    }
}

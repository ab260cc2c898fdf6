package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run where sessions of the database hold the locks. */
@Tag("extended")
class PostgresSessionLeaseholdContractTest extends LeaseholdContract {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Override
    protected StoreFactory store() {
        return new JdbcStoreProvider().create(StoreUri.parse(POSTGRES.get().url() + "&leasehold.sessionLocks=true"));
    }

    /** Not promised here: a break ends the session, and with it all that it holds. */
    @Override
    public void aLostLeaseIsNamed() {}
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run real processes on one database. */
@Tag("slow")
class PostgresProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Override
    protected String uri() {
        return POSTGRES.get().url();
    }
}

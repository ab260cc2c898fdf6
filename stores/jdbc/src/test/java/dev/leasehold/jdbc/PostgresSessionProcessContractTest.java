package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests run real processes whose sessions hold the locks: killed, they are free at once; stopped, when the idle limit
 * has passed.
 */
@Tag("extended")
class PostgresSessionProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Override
    protected String uri() {
        return POSTGRES.get().url() + "&leasehold.sessionLocks=true";
    }
}

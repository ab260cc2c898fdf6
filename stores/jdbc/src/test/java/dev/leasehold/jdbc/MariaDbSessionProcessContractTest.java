package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests run real processes whose sessions hold the locks: killed, they are free at once; stopped, when the idle limit
 * has passed.
 */
@Tag("extended")
class MariaDbSessionProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<MariaDbServer> MARIADB = new Started<>(MariaDbServer::start);

    @Override
    protected String uri() {
        return MARIADB.get().url() + "&leasehold.sessionLocks=true";
    }
}

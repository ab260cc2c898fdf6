package dev.leasehold.jdbc;

import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.testkit.ProcessContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Real processes whose sessions hold the locks: killed, they are free at once; stopped, when the idle limit has passed. */
@Tag("extended")
class MariaDbSessionProcessContractTest extends ProcessContract {

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
    protected String uri() {
        return mariadb.url() + "&leasehold.sessionLocks=true";
    }
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testkit.ProcessContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Real processes whose sessions hold the locks: killed, they are free at once; stopped, when the idle limit has passed. */
class PostgresSessionProcessContractTest extends ProcessContract {

    private static PostgresServer postgres;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @Override
    protected String uri() {
        return postgres.url() + "&leasehold.sessionLocks=true";
    }
}

package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresFenceWorkloadTest extends FenceWorkload {

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
    String url() {
        return postgres.url();
    }

    @Override
    String store() {
        return postgres.url();
    }
}

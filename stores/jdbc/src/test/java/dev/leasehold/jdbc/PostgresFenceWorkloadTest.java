package dev.leasehold.jdbc;

import dev.leasehold.servers.PostgresServer;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class PostgresFenceWorkloadTest extends FenceWorkload {

    @RegisterExtension
    private static final Started<PostgresServer> POSTGRES = new Started<>(PostgresServer::start);

    @Override
    String url() {
        return POSTGRES.get().url();
    }

    @Override
    String store() {
        return POSTGRES.get().url();
    }
}

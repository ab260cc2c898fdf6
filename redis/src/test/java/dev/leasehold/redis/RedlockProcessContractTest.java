package dev.leasehold.redis;

import dev.leasehold.testkit.ProcessContract;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Real processes on three masters. */
@Tag("extended")
class RedlockProcessContractTest extends ProcessContract {

    private static Masters masters;

    @BeforeAll
    static void startServers() {
        masters = Masters.start(3);
        RedlockStore.of(masters.uris()).initialize();
    }

    @AfterAll
    static void stopServers() {
        masters.close();
    }

    @Override
    protected String uri() {
        // Four JVMs at once may take a while to load their classes.
        return masters.servers.stream()
                .map(server -> "localhost:" + server.port())
                .collect(Collectors.joining(",", "redlock://", "?leasehold.storeTimeout=30000"));
    }
}

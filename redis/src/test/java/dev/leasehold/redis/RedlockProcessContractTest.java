package dev.leasehold.redis;

import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testkit.Started;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run real processes on three masters. */
@Tag("extended")
class RedlockProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<Masters> MASTERS = new Started<>(() -> {
        Masters masters = Masters.start(3);
        masters.initialized();
        return masters;
    });

    @Override
    protected String uri() {
        // Four JVMs at once may take a while to load their classes.
        return MASTERS.get().servers.stream()
                .map(server -> "localhost:" + server.port())
                .collect(Collectors.joining(",", "redlock://", "?leasehold.storeTimeout=30000"));
    }
}

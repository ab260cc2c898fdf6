package dev.leasehold.redis;

import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
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
        // A node of a busy machine is not taken for a dead one; its leases may be as long as the contract's.
        return MASTERS.get().servers.stream()
                .map(server -> "localhost:" + server.port())
                .collect(Collectors.joining(
                        ",", "redlock://", "?leasehold.nodeTimeout=2000&leasehold.maxLeaseDuration=1h"));
    }
}

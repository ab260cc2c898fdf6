package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run real processes on one Redis. */
@Tag("slow")
class RedisProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<RedisProcess> REDIS = new Started<>(RedisProcess::start);

    @Override
    protected String uri() {
        // Four JVMs at once may take a while to load their classes.
        return REDIS.get().uri();
    }
}

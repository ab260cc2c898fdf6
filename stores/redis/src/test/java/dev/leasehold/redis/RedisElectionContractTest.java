package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.ElectionContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests run elections over a real server. */
@Tag("slow")
class RedisElectionContractTest extends ElectionContract {

    @RegisterExtension
    private static final Started<RedisProcess> REDIS =
            new Started<>(() -> RedisProcess.start().warm());

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider().create(StoreUri.parse(REDIS.get().uri()));
    }
}

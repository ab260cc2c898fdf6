package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
class RedisLeaseholdContractTest extends LeaseholdContract {

    @RegisterExtension
    private static final Started<RedisProcess> REDIS =
            new Started<>(() -> RedisProcess.start().warm());

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider().create(StoreUri.parse(REDIS.get().uri()));
    }
}

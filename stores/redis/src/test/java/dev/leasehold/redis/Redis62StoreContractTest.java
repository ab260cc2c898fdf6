package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("extended")
class Redis62StoreContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<RedisProcess> REDIS =
            new Started<>(() -> RedisProcess.start(RedisProcess.Version.V6_2).warm());

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider().create(StoreUri.parse(REDIS.get().uri()));
    }
}

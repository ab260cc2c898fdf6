package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("extended")
class SentinelStoreContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<RedisGroup> GROUP = new Started<>(RedisGroup::sentinel);

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider()
                .create(StoreUri.parse("redis-sentinel://localhost:"
                        + GROUP.get().servers.get(2).port() + "#main"));
    }
}

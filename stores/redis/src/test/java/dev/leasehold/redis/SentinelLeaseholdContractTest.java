package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.LeaseholdContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("extended")
class SentinelLeaseholdContractTest extends LeaseholdContract {

    @RegisterExtension
    private static final Started<RedisGroup> SERVERS = new Started<>(RedisGroup::sentinel);

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider()
                .create(StoreUri.parse("redis-sentinel://localhost:"
                        + SERVERS.get().servers.get(2).port() + "#main"));
    }
}

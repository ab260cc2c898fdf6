package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every grant and every renewal waits for a replica. */
@Tag("extended")
class ReplicasStoreContractTest extends StoreContract {

    @RegisterExtension
    private static final Started<RedisGroup> SERVERS = new Started<>(RedisGroup::replicated);

    @Override
    protected StoreFactory store() {
        String master = SERVERS.get().servers.get(0).uri();
        return new RedisStoreProvider()
                .create(StoreUri.parse(master + "?leasehold.waitForReplicas=1&leasehold.waitTimeout=1000"));
    }
}

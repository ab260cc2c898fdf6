package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import dev.leasehold.testtools.Started;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Plain keys know no namespace: here each namespace is a database of its own instead. */
@Tag("extended")
class PlainKeysStoreContractTest extends StoreContract {

    private static final Map<String, Integer> DATABASES = new ConcurrentHashMap<>(Map.of("", 0));

    @RegisterExtension
    private static final Started<RedisProcess> REDIS =
            new Started<>(() -> RedisProcess.start("--databases", "200").warm());

    @Override
    protected StoreFactory store() {
        return context -> {
            Integer database = DATABASES.computeIfAbsent(context.namespace(), name -> DATABASES.size());
            return new RedisStoreProvider()
                    .create(StoreUri.parse(
                            REDIS.get().uri() + "/" + database + "?leasehold.keys=plain&leasehold.keyPrefix=p:"))
                    .open(new StoreContext(
                            context.identity(),
                            context.owner(),
                            "",
                            context.time(),
                            context.storeTimeout(),
                            context.signals()));
        };
    }
}

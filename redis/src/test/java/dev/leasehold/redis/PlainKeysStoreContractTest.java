package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Plain keys know no namespace: here each namespace is a database of its own instead. */
class PlainKeysStoreContractTest extends StoreContract {

    private static final Map<String, Integer> DATABASES = new ConcurrentHashMap<>(Map.of("", 0));
    private static RedisProcess redis;

    @BeforeAll
    static void startServer() {
        redis = RedisProcess.start(RedisProcess.Version.V7_0, "--databases", "100");
        redis.commands().ping();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return context -> {
            Integer database = DATABASES.computeIfAbsent(context.namespace(), name -> DATABASES.size());
            return new RedisStoreProvider()
                    .create(StoreUri.parse(redis.uri() + "/" + database + "?leasehold.keys=plain"))
                    .open(new StoreContext(
                            context.clientId(),
                            context.owner(),
                            "",
                            context.time(),
                            context.storeTimeout(),
                            context.signals()));
        };
    }
}

package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.ProcessContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Real processes on one Redis. */
class RedisProcessContractTest extends ProcessContract {

    private static RedisProcess redis;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start(RedisProcess.Version.V7_0);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected String uri() {
        // Four JVMs at once may take a while to load their classes.
        return redis.uri() + "?leasehold.storeTimeout=30000";
    }
}

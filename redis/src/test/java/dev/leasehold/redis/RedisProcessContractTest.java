package dev.leasehold.redis;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testkit.ProcessContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Real processes on one server. */
class RedisProcessContractTest extends ProcessContract {

    private static RedisProcess redis;

    @BeforeAll
    static void startServer() {
        redis = RedisProcess.start(RedisProcess.Version.V7_0);
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @Override
    protected String uri() {
        return redis.uri();
    }
}

package dev.leasehold.redis;

import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Redeployment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application that is deployed anew again and again leaves nothing of Lettuce and Netty. */
@Tag("slow")
class RedeployTest {

    private static final String PATIENT = "?leasehold.storeTimeout=60000";

    @Test
    void nothingIsLeftOfRedis() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            Redeployment.leavesNothing(server.uri() + PATIENT);
        }
    }

    @Test
    void norOfSentinel() throws Exception {
        try (RedisGroup group = RedisGroup.sentinel()) {
            Redeployment.leavesNothing(
                    "redis-sentinel://localhost:" + group.servers.get(2).port() + PATIENT + "#main");
        }
    }

    @Test
    void norOfACluster() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            Redeployment.leavesNothing("redis-cluster://" + cluster.addresses() + PATIENT);
        }
    }

    @Test
    void nothingIsLeftOfAQuorum() throws Exception {
        try (Masters masters = Masters.start(3)) {
            RedlockStore.of(masters.uris()).initialize();
            Redeployment.leavesNothing("redlock://"
                    + String.join(
                            ",",
                            masters.servers.stream()
                                    .map(each -> "localhost:" + each.port())
                                    .toList())
                    + PATIENT);
        }
    }
}

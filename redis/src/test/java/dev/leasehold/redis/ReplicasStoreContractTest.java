package dev.leasehold.redis;

import static org.awaitility.Awaitility.await;

import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import dev.leasehold.testkit.StoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Every grant and every renewal waits for a replica. */
class ReplicasStoreContractTest extends StoreContract {

    private static RedisProcess master;
    private static RedisProcess replica;

    @BeforeAll
    static void startServers() {
        master = RedisProcess.start(RedisProcess.Version.V7_0, "--repl-diskless-sync-delay", "0");
        replica = RedisProcess.start(RedisProcess.Version.V7_0, "--replicaof", "127.0.0.1 " + master.port());
        // What the replica calls up, its master may not call online yet, and then it is not counted.
        await().until(() -> master.commands().info("replication").contains("state=online"));
    }

    @AfterAll
    static void stopServers() {
        replica.close();
        master.close();
    }

    @Override
    protected StoreFactory store() {
        return new RedisStoreProvider()
                .create(StoreUri.parse(master.uri() + "?leasehold.waitForReplicas=1&leasehold.waitTimeout=1000"));
    }
}

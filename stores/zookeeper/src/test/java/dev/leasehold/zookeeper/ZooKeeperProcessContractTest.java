package dev.leasehold.zookeeper;

import dev.leasehold.testkit.ProcessContract;
import dev.leasehold.testtools.Started;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests run with short sessions, which are what a dead holder blocks for, and yet longer than a busy machine keeps a
 * process from running: with 2 s, holders lost their locks while other processes started.
 */
@Tag("slow")
class ZooKeeperProcessContractTest extends ProcessContract {

    @RegisterExtension
    private static final Started<TestingServer> SERVER = new Started<>(Zoo::server);

    @Override
    protected String uri() {
        return Zoo.uri(SERVER.get().getConnectString(), 5_000);
    }
}

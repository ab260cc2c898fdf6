package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.testtools.Started;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests list more names than ZooKeeper's client takes in one answer: 1 MB, unless it is told otherwise. */
@Tag("slow")
class ManyNamesTest {

    private static final int NAMES = 11_000;

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(() -> {
        OneServer server = new OneServer();
        server.make("/it/leasehold/locks");
        String long_ = "/it/leasehold/locks/" + "x".repeat(95);
        for (int i = 0; i < NAMES; i++) {
            server.tree().createNode(long_ + (10_000 + i), new byte[0], Ids.OPEN_ACL_UNSAFE, 0, -1, 1, 1);
        }
        return server;
    });

    @Test
    void theyAreListed() throws Exception {
        try (Leasehold client = Leasehold.builder()
                        .store(ZOO.get().store(60_000))
                        .storeTimeout(java.time.Duration.ofMinutes(1))
                        .build();
                Lease lease = client.lock("held").acquire()) {
            List<LeaseState> states = new CopyOnWriteArrayList<>();
            lease.addListener((of, state) -> states.add(state));
            assertThat(client.locks("*")).extracting(LockInfo::name).containsExactly("held");
            assertThat(states).isEmpty();
        }
    }

    @Test
    void overAGivenClientTheyAreRefusedWithBothNumbers() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + ZOO.get().port(), 60_000, 5_000, new RetryOneTime(10))) {
            curator.start();
            try (Leasehold client = Leasehold.builder()
                            .store(ZooKeeperStore.using(curator.usingNamespace("it")))
                            .build();
                    Lease lease = client.lock("held").acquire()) {
                List<LeaseState> states = new CopyOnWriteArrayList<>();
                lease.addListener((of, state) -> states.add(state));
                assertThatThrownBy(() -> client.locks("*"))
                        .isExactlyInstanceOf(LockException.class)
                        .hasMessageContaining("jute.maxbuffer")
                        .hasMessageContaining("has 11001 nodes");
                assertThat(client.locks("held")).hasSize(1);
                assertThat(states).isEmpty();
            }
        }
    }
}

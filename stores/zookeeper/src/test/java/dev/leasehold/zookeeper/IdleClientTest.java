package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests show what the first acquire costs a client that has held nothing for longer than the session time-out. The
 * client's time stands still where a test does not move it.
 */
@Tag("slow")
class IdleClientTest {

    private static final Duration SESSION = Duration.ofSeconds(60);

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final VirtualTime time = new VirtualTime();

    private static long packets() {
        return ZOO.get().server().serverStats().getPacketsReceived();
    }

    private void acquiresAtOnceAfterAPause(StoreFactory store) throws Exception {
        String name = "lock-" + UUID.randomUUID();
        // The first client ever makes the way to these nodes, and waits a while for it.
        ZOO.get().make("/it/leasehold/clients");
        ZOO.get().make("/leasehold/clients");
        ZOO.get().make(OneServer.LOCKS + name);
        ZOO.get().make("/leasehold/locks/" + name);
        try (Leasehold client =
                Leasehold.builder().store(store).timeSource(time).build()) {
            DistributedLock lock = client.lock(name);
            lock.acquire().close();
            for (int i = 0; i < 2 * SESSION.toSeconds(); i++) {
                time.advance(Duration.ofSeconds(1));
                client.locks("none");
            }
            long packets = packets();
            // It would wait for ever for a proof that takes its time.
            Lease lease = lock.acquire();
            // Three of the acquire's own; an idle client's read and a ping of its connection may fall in between.
            assertThat(packets() - packets).as("requests").isLessThanOrEqualTo(5);
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isGreaterThan(SESSION.dividedBy(3));
            lease.close();
        }
    }

    @Test
    @DisplayName("The first acquire after a pause waits for no proof of the session")
    void anAcquireAfterAPauseWaitsForNoProof() throws Exception {
        acquiresAtOnceAfterAPause(ZOO.get().store(SESSION.toMillis()));
    }

    @Test
    void neitherWithAGivenClient() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + ZOO.get().port(), (int) SESSION.toMillis(), 5_000, new RetryOneTime(10))) {
            curator.start();
            curator.blockUntilConnected();
            acquiresAtOnceAfterAPause(ZooKeeperStore.using(curator));
        }
    }
}

package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.testkit.Started;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show what the first acquire costs a client that has held nothing for longer than the session time-out. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleClientTest {

    private static final Duration SESSION = Duration.ofSeconds(4);

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        await().atMost(duration.plusSeconds(10)).until(() -> System.nanoTime() - end >= 0);
    }

    private static long packets() {
        return ZOO.get().server().serverStats().getPacketsReceived();
    }

    private void acquiresAtOnceAfterAPause(StoreFactory store) throws Exception {
        try (Leasehold client = Leasehold.builder()
                .store(store)
                // Shorter than it takes to prove the session from nothing: 5/16 of its time-out.
                .storeTimeout(Duration.ofSeconds(1))
                .build()) {
            // The first client ever makes the way to these nodes.
            ZOO.get().make("/it/leasehold/clients");
            DistributedLock lock = client.lock("lock-" + UUID.randomUUID());
            lock.acquire().close();
            pause(SESSION.multipliedBy(2));
            long packets = packets();
            long start = System.nanoTime();
            Lease lease = lock.acquire();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            // Three of the acquire's own; an idle client's read and a ping of its connection may fall in between.
            assertThat(packets() - packets).as("requests").isLessThanOrEqualTo(5);
            assertThat(took).isLessThan(SESSION.dividedBy(4));
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

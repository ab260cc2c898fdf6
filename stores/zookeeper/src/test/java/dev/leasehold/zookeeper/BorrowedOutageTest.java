package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about what happens to a Curator client of the user's while locks are used over it. */
@Tag("slow")
class BorrowedOutageTest {

    private static final Duration SESSION = Duration.ofSeconds(8);
    private static final int LOCKS = 10;

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();
    private FaultProxy proxy;
    private CuratorFramework curator;
    private Leasehold client;

    @BeforeEach
    void connect() throws Exception {
        proxy = FaultProxy.to(ZOO.get().port());
        curator = curator(SESSION);
        curator.start();
        client = Leasehold.builder()
                .store(ZooKeeperStore.using(curator))
                .storeTimeout(Duration.ofMinutes(2))
                .build();
        client.lock(name).acquire().close();
    }

    private CuratorFramework curator(Duration session) {
        return CuratorFrameworkFactory.builder()
                .connectString("127.0.0.1:" + proxy.port())
                .sessionTimeoutMs((int) session.toMillis())
                .namespace("it")
                .retryPolicy(new RetryForever(100))
                .build();
    }

    @AfterEach
    void close() {
        client.close(Duration.ZERO);
        curator.close();
        proxy.close();
    }

    /**
     * Idle before, and gone for most of the session time-out: the session lives, and what was proven of it is over. Each grant
     * was valid in the past, and asked for again at once: thousands of transactions until it was proven anew.
     */
    @Test
    void anOutageIsNotFollowedByAFloodOfClaims() throws Exception {
        isGoneFor(65);
    }

    @Tag("extended")
    @ParameterizedTest
    @ValueSource(ints = {70, 90, 100, 110})
    void norIsAnOutageOfAboutTheSessionTimeout(int percent) throws Exception {
        isGoneFor(percent);
    }

    private void isGoneFor(int percent) throws Exception {
        for (int i = 0; i < LOCKS; i++) {
            ZOO.get().make(OneServer.LOCKS + name + '-' + i);
        }
        try (Leasehold other =
                Leasehold.builder().store(ZOO.get().store(60_000)).build()) {
            Lease held = client.lock(name).acquire();
            CompletableFuture<Lease> waiting = other.lock(name).acquireAsync();
            await().until(() -> ZOO.get().nodes(name).size() == 2);
            long start = System.nanoTime();
            proxy.refuse(true);
            proxy.cut();
            await().until(() ->
                    oneAtMost(held, waiting) && System.nanoTime() - start > SESSION.toNanos() / 100 * percent);
            proxy.refuse(false);
            await().until(() ->
                    oneAtMost(held, waiting) && curator.getZookeeperClient().isConnected());
            await().until(() -> oneAtMost(held, waiting) && System.nanoTime() - start > SESSION.toNanos());
            long before = ZOO.get().tree().lastProcessedZxid;
            List<CompletableFuture<Lease>> claiming = new ArrayList<>();
            for (int i = 0; i < LOCKS; i++) {
                claiming.add(client.lock(name + '-' + i).acquireAsync());
            }
            for (CompletableFuture<Lease> each : claiming) {
                each.get(A_MINUTE, TimeUnit.SECONDS);
            }
            // A creation for each, the beats, and a few tries until the session is proven; it was 895 for ten locks.
            assertThat(ZOO.get().tree().lastProcessedZxid - before).isLessThan(20L * LOCKS);
            assertThat(oneAtMost(held, waiting)).isTrue();
            held.close();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
        }
    }

    private static boolean oneAtMost(Lease held, CompletableFuture<Lease> waiting) {
        boolean second = waiting.isDone() && waiting.join().isValid();
        assertThat(second && held.isValid()).as("both are valid").isFalse();
        return true;
    }

    private Claim claim(int number) {
        return new Claim(new ClaimId("c", number), name, Duration.ofMinutes(10), 0, true);
    }

    /**
     * The servers end such a session at once, not when they have not heard of it for long. What tells them is held back here,
     * and nothing else would end the lease for minutes.
     */
    @Test
    void aClientOfTheUsersThatIsClosedEndsItsLeasesFirst() throws Exception {
        CuratorFramework closed = curator(Duration.ofMinutes(20));
        closed.start();
        try (Leasehold ours =
                        Leasehold.builder().store(ZooKeeperStore.using(closed)).build();
                Leasehold other =
                        Leasehold.builder().store(ZOO.get().store(60_000)).build()) {
            Lease held = ours.lock(name, LockOptions.defaults().withLeaseDuration(Duration.ofHours(1)))
                    .acquire();
            CompletableFuture<Lease> waiting = other.lock(name).acquireAsync();
            await().until(() -> ZOO.get().nodes(name).size() == 2);
            proxy.hold(FaultProxy.Way.REQUESTS);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(closed::close);
            assertThat(held.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
            assertThat(ZOO.get().nodes(name)).hasSize(2);
            proxy.letGo();
            waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
            closing.get(A_MINUTE, TimeUnit.SECONDS);
        }
    }
}

package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.Store;
import dev.leasehold.test.VirtualTime;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests show what happens to connections and sessions, on a real server. Where a fault has a number of Curator's, it
 * is a fault that users of Curator's lock have reported under that number.
 */
@Tag("slow")
class SessionFaultsTest {

    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(20));

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String name = "lock-" + UUID.randomUUID();

    @RegisterExtension
    private final OpenStores stores = new OpenStores();

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final VirtualTime time = new VirtualTime();
    private Leasehold still;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Leasehold client(int port, int sessionMillis) {
        Leasehold client = Leasehold.builder()
                .store(Zoo.store("127.0.0.1:" + port, sessionMillis))
                .options(OPTIONS)
                .build();
        opened.add(client);
        return client;
    }

    private Leasehold client(int sessionMillis) {
        return client(ZOO.get().port(), sessionMillis);
    }

    private FaultProxy proxy() {
        FaultProxy proxy = FaultProxy.to(ZOO.get().port());
        opened.add(0, proxy);
        return proxy;
    }

    private void awaitNodes(int number) {
        await().until(() -> ZOO.get().nodes(name).size() == number);
    }

    @Test
    @DisplayName("An expired session takes its locks with it and the client goes on")
    void anExpiredSessionTakesItsLocksWithIt() throws Exception {
        DistributedLock lock = client(10_000).lock(name);
        Lease lease = lock.acquire();
        ZOO.get().expire(ZOO.get().owner(name));
        assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                .isEqualTo(LeaseState.LOST);
        try (Lease next = lock.acquire()) {
            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(ZOO.get().nodes(name)).hasSize(1);
        }
    }

    @Test
    void aWaiterWhoseSessionExpiresWaitsOnInTheNext() throws Exception {
        Lease held = client(20_000).lock(name).acquire();
        String holders = ZOO.get().nodes(name).get(0);
        CompletableFuture<Lease> waiting = client(20_000).lock(name).acquireAsync();
        awaitNodes(2);
        String waiters = ZOO.get().nodes(name).stream()
                .filter(node -> !node.equals(holders))
                .findFirst()
                .orElseThrow();
        ZOO.get().expire(ZOO.get().stat(name, waiters).getEphemeralOwner());
        await().until(() ->
                ZOO.get().nodes(name).size() == 2 && !ZOO.get().nodes(name).contains(waiters));
        assertThat(waiting).isNotDone();
        held.close();
        waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
    }

    @Test
    @DisplayName("A broken connection puts the lease at risk long before its deadline")
    void aBrokenConnectionPutsTheLeaseAtRiskEarly() throws Exception {
        FaultProxy proxy = proxy();
        Duration lasting = Duration.ofMinutes(10);
        Lease lease = client(proxy.port(), 1_200_000)
                .lock(name, OPTIONS.withLeaseDuration(lasting))
                .acquire();
        BlockingQueue<LeaseState> told = new LinkedBlockingQueue<>();
        lease.addListener((of, state) -> told.add(state));
        proxy.refuse(true);
        proxy.cut();
        assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(LeaseState.AT_RISK);
        assertThat(lease.remaining())
                .as("more than the third that is left when a renewal is late")
                .isGreaterThan(lasting.dividedBy(2));
        assertThat(lease.isValid()).isTrue();
        proxy.refuse(false);
        assertThat(told.poll(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(LeaseState.HELD);
        lease.close();
    }

    @Test
    void theAnswerToACreationIsLostAndTheNodeIsRecognised() throws Exception {
        FaultProxy proxy = proxy();
        Leasehold client = client(proxy.port(), 20_000);
        client.lock(name).acquire().close();
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<Lease> claiming = client.lock(name).acquireAsync();
        awaitNodes(1);
        String made = ZOO.get().nodes(name).get(0);
        proxy.cut();
        proxy.letGo();
        Lease lease = claiming.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(ZOO.get().nodes(name)).containsExactly(made);
        assertThat(lease.token()).isEqualTo(ZOO.get().stat(name, made).getCzxid() << 6);
        lease.close();
        assertThat(ZOO.get().nodes(name)).isEmpty();
    }

    @Test
    @DisplayName("The answer to a creation is lost and nobody waits for it any more")
    void aLostAnswerToAnUnwantedCreationLeavesNothing() throws Exception {
        FaultProxy proxy = proxy();
        Leasehold client = client(proxy.port(), 20_000);
        client.lock(name).acquire().close();
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<Lease> claiming = client.lock(name).acquireAsync();
        awaitNodes(1);
        claiming.cancel(false);
        proxy.cut();
        proxy.letGo();
        awaitNodes(0);
    }

    @Test
    void thePredecessorIsDeletedBetweenListingAndWatching() throws Exception {
        FaultProxy proxy = proxy();
        // A store does not ask again by itself, as its client does.
        Store store = stores.open("c", Zoo.store("127.0.0.1:" + proxy.port(), 60_000));
        OpenStores.get(store.claim(stores.claim("c", "warm-" + name, Claim.EXCLUSIVE)));
        Lease held = client(20_000).lock(name).acquire();
        proxy.hold(FaultProxy.Way.ANSWERS);
        Claim waiter = stores.claim("c", name, Claim.EXCLUSIVE);
        CompletionStage<ClaimAnswer> waiting = store.claim(waiter);
        awaitNodes(2);
        // The list that names the holder has been made, and is held back until the holder is gone.
        held.close();
        awaitNodes(1);
        proxy.letGo();
        if (OpenStores.get(waiting) instanceof ClaimAnswer.Busy) {
            await().until(() -> stores.isGranted(waiter));
        }
    }

    @Test
    @DisplayName("A waiter that has lost its connection finds its turn when it is back")
    void aWaiterThatWasCutOffFindsItsTurn() throws Exception {
        FaultProxy proxy = proxy();
        Leasehold client = client(proxy.port(), 20_000);
        Lease held = client(20_000).lock(name).acquire();
        CompletableFuture<Lease> waiting = client.lock(name).acquireAsync();
        awaitNodes(2);
        proxy.refuse(true);
        proxy.cut();
        held.close();
        awaitNodes(1);
        proxy.refuse(false);
        waiting.get(A_MINUTE, TimeUnit.SECONDS).close();
    }

    @Test
    @DisplayName("a holder that is cut off in silence knows it before its successor is let in")
    void holderCutOff_knowsBeforeSuccessor_CURATOR_206() throws Exception {
        FaultProxy proxy = proxy();
        Lease held = client(proxy.port(), 8_000).lock(name).acquire();
        CompletableFuture<Lease> waiting = client(8_000).lock(name).acquireAsync();
        awaitNodes(2);
        CompletableFuture<Long> told = held.ended().toCompletableFuture().thenApply(state -> System.nanoTime());
        CompletableFuture<Boolean> validAtHandOver = waiting.thenApply(lease -> held.isValid());
        CompletableFuture<Long> letIn = waiting.thenApply(lease -> System.nanoTime());
        proxy.blackHole();
        assertThat(validAtHandOver.get(A_MINUTE, TimeUnit.SECONDS)).isFalse();
        assertThat(letIn.get() - told.get(A_MINUTE, TimeUnit.SECONDS))
                .as("let in after the holder was told")
                .isPositive();
        assertThat(waiting.get().token()).isGreaterThan(held.token());
    }

    /** Users asked for what interrupts the work under a lock when its connection is in trouble. */
    @Test
    void theWorkUnderALostLockIsInterrupted_CURATOR_465() throws Exception {
        FaultProxy proxy = proxy();
        Leasehold client = client(proxy.port(), 2_000);
        DistributedLock lock = client.lock(name, OPTIONS.withInterruptOnLoss(true));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread worker = new Thread(() -> {
            try {
                lock.run(lease -> {
                    proxy.blackHole();
                    try {
                        TimeUnit.SECONDS.sleep(50);
                        interrupted.complete(false);
                    } catch (InterruptedException e) {
                        interrupted.complete(!lease.isValid());
                    }
                });
            } catch (Exception e) {
                // The lock was lost: that is what is tested.
            }
        });
        worker.start();
        assertThat(interrupted.get(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        worker.join();
    }

    /** There a release that failed had forgotten the lock in the process but not in the ensemble. */
    @Test
    @DisplayName("a release without a connection is completed later, and blocks nobody here")
    void releaseOffline_completedLater_CURATOR_486() throws Exception {
        FaultProxy proxy = proxy();
        DistributedLock lock = client(proxy.port(), 30_000).lock(name);
        Lease lease = lock.acquire();
        String left = ZOO.get().nodes(name).get(0);
        proxy.refuse(true);
        proxy.cut();
        lease.close();
        CompletableFuture<Lease> again = lock.acquireAsync();
        assertThat(ZOO.get().nodes(name)).containsExactly(left);
        proxy.refuse(false);
        Lease next = again.get(A_MINUTE, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(ZOO.get().nodes(name)).hasSize(1).doesNotContain(left);
        next.close();
        assertThat(ZOO.get().nodes(name)).isEmpty();
    }

    @Test
    void theAnswerToAReleaseIsLost() throws Exception {
        FaultProxy proxy = proxy();
        DistributedLock lock = client(proxy.port(), 30_000).lock(name);
        Lease lease = lock.acquire();
        proxy.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<LeaseState> released = lease.releaseAsync().toCompletableFuture();
        awaitNodes(0);
        proxy.cut();
        proxy.letGo();
        released.get(A_MINUTE, TimeUnit.SECONDS);
        lock.acquire().close();
    }

    @Test
    void aBreakIsToldAtOnce() throws Exception {
        // The holder's next renewal, and what would confirm its session, come after minutes.
        Lease held = client(3_600_000)
                .lock(name, OPTIONS.withLeaseDuration(Duration.ofHours(1)))
                .acquire();
        Leasehold operator = client(60_000);
        await().until(() -> ZOO.get().tree().getWatchCount() > 0);
        assertThat(operator.breakLock(name, held.token())).isTrue();
        assertThat(held.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                .isEqualTo(LeaseState.LOST);
    }

    @Test
    void theLocksNodeIsRemovedAgainAndAgain() throws Exception {
        DistributedLock lock = client(20_000).lock(name);
        lock.acquire().close();
        AtomicInteger removed = new AtomicInteger();
        CompletableFuture<Integer> working = CompletableFuture.supplyAsync(() -> {
            int done = 0;
            try {
                for (; done < 100 || removed.get() <= 5; done++) {
                    lock.acquire().close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return done;
        });
        while (!working.isDone()) {
            try {
                ZOO.get().probe.delete(OneServer.LOCKS + name, -1);
                removed.incrementAndGet();
            } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException e) {
                // This time it is in use.
            }
        }
        assertThat(working.get()).isGreaterThanOrEqualTo(100);
        assertThat(removed.get()).isGreaterThan(5);
    }

    @Test
    void aLeaseIsConfirmedLongBeyondItsFirstDeadline() throws Exception {
        Lease lease = still(OPTIONS).acquire();
        pass(Duration.ofSeconds(110));
        assertThat(lease.isValid()).isTrue();
        assertThat(ZOO.get().nodes(name)).hasSize(1);
    }

    @Test
    @DisplayName("a lease that is not renewed lasts as long as was asked for, also beyond the session timeout")
    void leaseNotRenewed_outlastsSessionTimeout() throws Exception {
        Lease lease = still(OPTIONS.withLeaseDuration(Duration.ofSeconds(100)).withAutoRenew(false))
                .acquire();
        pass(Duration.ofSeconds(98));
        assertThat(lease.isValid()).isTrue();
        assertThat(ZOO.get().nodes(name)).hasSize(1);
        pass(Duration.ofSeconds(5));
        assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                .isEqualTo(LeaseState.LOST);
        awaitNodes(0);
    }

    /** Returns the lock as a client has it whose time stands still; its session ends after 30 s of the server's time. */
    private DistributedLock still(LockOptions options) throws Exception {
        // A client makes what is missing, and asks again after a while: here that never comes.
        ZOO.get().make("/it/leasehold/clients");
        ZOO.get().make(OneServer.LOCKS + name);
        Leasehold client = Leasehold.builder()
                .store(ZOO.get().store(30_000))
                .timeSource(time)
                .build();
        opened.add(client);
        still = client;
        return client.lock(name, options);
    }

    /** After each step, what the step has started is over: a client's tasks run one after the other. */
    private void pass(Duration duration) throws InterruptedException {
        for (long i = 0; i < duration.toSeconds(); i++) {
            time.advance(Duration.ofSeconds(1));
            still.locks("none");
        }
    }

    /** It accepts connections and says nothing. ZooKeeper's client mixes the servers, so three clients try. */
    @Test
    void aSilentServerOfSeveralKeepsNobodyOut() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String servers = "127.0.0.1:" + silent.getLocalPort() + ",127.0.0.1:"
                    + ZOO.get().port();
            for (int i = 0; i < 3; i++) {
                try (Leasehold client = Leasehold.builder()
                        .store(Zoo.store(servers, 4_000))
                        .storeTimeout(Duration.ofSeconds(A_MINUTE))
                        .build()) {
                    assertThat(client.lock(name).acquire().release()).isEqualTo(LeaseState.RELEASED);
                }
            }
        }
    }
}

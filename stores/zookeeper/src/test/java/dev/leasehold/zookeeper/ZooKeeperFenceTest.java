package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.LockException;
import dev.leasehold.StaleTokenException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ZooKeeperFenceTest {

    private static OneServer zoo;
    private static CuratorFramework curator;

    private final String account = "/accounts/" + UUID.randomUUID();
    private final ZooKeeperFence fence = ZooKeeperFence.on(curator, account + "/fence");

    @BeforeAll
    static void startServer() throws Exception {
        zoo = new OneServer();
        curator = CuratorFrameworkFactory.newClient("127.0.0.1:" + zoo.port(), new RetryOneTime(100));
        curator.start();
    }

    @AfterAll
    static void stopServer() {
        curator.close();
        zoo.close();
    }

    @BeforeEach
    void makeAccount() throws Exception {
        curator.create().creatingParentsIfNeeded().forPath(account, bytes("100"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String balance() throws Exception {
        return new String(curator.getData().forPath(account), StandardCharsets.UTF_8);
    }

    private void write(ZooKeeperFence.Guard guard, String balance) throws Exception {
        assertThat(guard.write(curator.transactionOp().setData().forPath(account, bytes(balance))))
                .hasSize(1);
    }

    @Test
    void whoHasTheNewestTokenWrites() throws Exception {
        ZooKeeperFence.Guard guard = fence.register(7);
        write(guard, "90");
        write(guard, "80");
        write(fence.register(7), "70");
        assertThat(balance()).isEqualTo("70");
    }

    @Test
    @DisplayName("after a successor has registered, an older token is refused and nothing is written")
    void olderToken_afterSuccessor_isRefused() throws Exception {
        ZooKeeperFence.Guard old = fence.register(7);
        fence.register(8);
        assertThatThrownBy(() -> write(old, "0")).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
            assertThat(stale.token()).isEqualTo(7);
            assertThat(stale.newest()).isEqualTo(8);
        });
        assertThatThrownBy(() -> fence.register(7)).isInstanceOf(StaleTokenException.class);
        assertThat(balance()).isEqualTo("100");
    }

    @Test
    @DisplayName("registering again does not invalidate an earlier guard of the same token")
    void registeringAgain_keepsEarlierGuardValid() throws Exception {
        ZooKeeperFence.Guard one = fence.register(7);
        fence.register(7);
        write(one, "90");
        assertThat(balance()).isEqualTo("90");
    }

    @Test
    void aRefusedOperationOfTheCallersIsNoStaleToken() throws Exception {
        ZooKeeperFence.Guard guard = fence.register(7);
        assertThatThrownBy(() -> guard.write(
                        curator.transactionOp().setData().forPath(account, bytes("90")),
                        curator.transactionOp().setData().withVersion(99).forPath(account, bytes("80"))))
                .isInstanceOf(KeeperException.BadVersionException.class);
        assertThat(balance()).isEqualTo("100");
    }

    @Test
    void afterAResetAnyTokenWillDoButNoOldGuard() throws Exception {
        ZooKeeperFence.Guard old = fence.register(7);
        fence.reset();
        write(fence.register(3), "90");
        assertThatThrownBy(() -> write(old, "0")).isInstanceOf(StaleTokenException.class);
        assertThat(balance()).isEqualTo("90");
    }

    @Test
    void aResetOfWhatWasNeverUsedDoesNothing() throws Exception {
        fence.reset();
        write(fence.register(0), "90");
    }

    @Test
    void badInputIsRefused() throws Exception {
        assertThatThrownBy(() -> fence.registerShared(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.register(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ZooKeeperFence.on(curator, "no/path")).isInstanceOf(IllegalArgumentException.class);
        curator.create().forPath(account + "/fence", bytes("not a token"));
        assertThatThrownBy(() -> fence.register(1))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("no fencing token");
    }

    /** Eight writers add to a sum, each with tokens of its own, and nobody holds any lock: those that are refused have written nothing. */
    @Test
    void aWriteThatWasNotRefusedIsInTheSum() throws Exception {
        AtomicLong tokens = new AtomicLong();
        AtomicLong written = new AtomicLong(100);
        AtomicLong refused = new AtomicLong();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            writers.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 15; n++) {
                    try {
                        ZooKeeperFence.Guard guard = fence.register(tokens.incrementAndGet());
                        write(guard, Long.toString(Long.parseLong(balance()) + 1));
                        written.incrementAndGet();
                    } catch (StaleTokenException e) {
                        refused.incrementAndGet();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).join();
        assertThat(balance()).isEqualTo(Long.toString(written.get()));
        assertThat(written.get() + refused.get()).isEqualTo(220);
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, long newest) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.newest()).isEqualTo(newest));
    }

    @Test
    void aReaderIsRefusedBelowAWriterOnly() throws Exception {
        fence.register(5);
        refused(() -> fence.registerShared(4), 5);
        fence.registerShared(5);
        fence.registerShared(8);
        fence.registerShared(6);
        fence.register(9);
        refused(() -> fence.registerShared(8), 9);
        fence.registerShared(9);
    }

    @Test
    void aWriterIsRefusedBelowAReader() throws Exception {
        fence.registerShared(3);
        refused(() -> fence.register(2), 3);
        fence.registerShared(2);
        fence.register(3);
        refused(() -> fence.registerShared(2), 3);
        fence.registerShared(7);
        refused(() -> fence.register(6), 7);
        write(fence.register(7), "90");
    }

    /** The writer had registered, slept, lost its lock, and wants to write after a reader has read. */
    @Test
    void aWritersGuardIsRefusedAfterALaterReader() throws Exception {
        ZooKeeperFence.Guard first = fence.register(5);
        fence.registerShared(6);
        refused(() -> write(first, "0"), 6);
        ZooKeeperFence.Guard second = fence.register(7);
        write(second, "90");
        fence.registerShared(8);
        refused(() -> write(second, "0"), 8);
        assertThat(balance()).isEqualTo("90");
    }

    @Test
    void anEarlierReaderLeavesAWritersGuardAlone() throws Exception {
        fence.registerShared(4);
        ZooKeeperFence.Guard guard = fence.register(5);
        refused(() -> fence.registerShared(4), 5);
        write(guard, "90");
        fence.registerShared(5);
        write(guard, "80");
    }

    @Test
    void aReadersGuardIsRefusedAfterALaterWriterOnly() throws Exception {
        ZooKeeperFence.Guard reader = fence.registerShared(5);
        fence.registerShared(6);
        fence.registerShared(4);
        write(reader, "90");
        fence.register(7);
        refused(() -> write(reader, "0"), 7);
        assertThat(balance()).isEqualTo("90");
    }

    /** The writer has looked when no reader was known yet, and registers when there is one. */
    @Test
    void aWriterThatKnewOfNoReaderIsSeenByReaders() throws Exception {
        for (long token = 1; token < 40; token += 4) {
            ZooKeeperFence each = ZooKeeperFence.on(curator, account + "/fence" + token);
            long first = token;
            each.register(first);
            CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> uncheckedly(() -> {
                try {
                    each.registerShared(first + 1);
                } catch (StaleTokenException e) {
                    assertThat(e.newest()).isEqualTo(first + 2);
                }
            }));
            each.register(first + 2);
            reading.join();
            refused(() -> each.registerShared(first + 1), first + 2);
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void uncheckedly(Work work) {
        try {
            work.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A record with one number, such as a fence without readers has, counts for both. */
    @Test
    void aRecordWithOneNumberCountsForReadersToo() throws Exception {
        curator.create().forPath(account + "/fence", bytes("7"));
        refused(() -> fence.registerShared(6), 7);
        fence.registerShared(8);
        assertThat(new String(curator.getData().forPath(account + "/fence"), StandardCharsets.UTF_8))
                .isEqualTo("8 7");
    }

    @Test
    void afterAResetNoOldReadersGuardWillDo() throws Exception {
        ZooKeeperFence.Guard old = fence.registerShared(7);
        fence.reset();
        assertThatThrownBy(() -> write(old, "0")).isInstanceOf(StaleTokenException.class);
        write(fence.registerShared(3), "90");
        write(fence.register(4), "80");
    }

    @Test
    void aFenceWhoseNodesWereRemovedBeginsAnew() throws Exception {
        fence.registerShared(7);
        fence.register(8);
        curator.delete().forPath(account + "/fence");
        fence.registerShared(3);
        curator.delete().forPath(account + "/fence-writers");
        fence.registerShared(3);
        curator.delete().forPath(account + "/fence-writers");
        write(fence.register(5), "90");
        refused(() -> fence.registerShared(4), 5);
    }

    /** A reader reads twice between its registrations: unless it is refused, nobody older or newer has written in between. */
    @Test
    void whatAReaderHasSeenIsNotChangedUnlessItIsTold() throws Exception {
        AtomicLong tokens = new AtomicLong();
        AtomicLong clean = new AtomicLong();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            boolean writes = i % 3 == 0;
            all.add(CompletableFuture.runAsync(() -> uncheckedly(() -> {
                for (int n = 0; n < 15; n++) {
                    long token = tokens.incrementAndGet();
                    try {
                        if (writes) {
                            ZooKeeperFence.Guard guard = fence.register(token);
                            byte[] value = bytes(Long.toString(token));
                            guard.write(curator.transactionOp().setData().forPath(account, value));
                        } else {
                            fence.registerShared(token);
                            String one = balance();
                            String other = balance();
                            fence.registerShared(token);
                            assertThat(other).isEqualTo(one);
                            clean.incrementAndGet();
                        }
                    } catch (StaleTokenException e) {
                        // Lost.
                    }
                }
            })));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        assertThat(clean.get()).isPositive();
    }
}

package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.listen.UnaryListenerManager;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** These tests show who may do what, whose client it is, and what stays after it. */
@Tag("slow")
class AccessTest {

    @RegisterExtension
    private static final Started<OneServer> ZOO = new Started<>(OneServer::new);

    private final String base = "/" + UUID.randomUUID();

    private String uri(String credentials) {
        return "zookeeper://" + credentials + "127.0.0.1:" + ZOO.get().port() + base + "?leasehold.storeTimeout=60000";
    }

    private List<ACL> access(String path) throws Exception {
        return ZOO.get().probe.getACL(path, new Stat());
    }

    @Test
    void withoutCredentialsNodesAreOpen() throws Exception {
        try (Leasehold leasehold = Leasehold.connect(uri(""));
                Lease lease = leasehold.lock("a").acquire()) {
            String lock = base + "/leasehold/locks/a";
            assertThat(access(lock)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
            String node = ZOO.get().probe.getChildren(lock, false).get(0);
            assertThat(access(lock + '/' + node)).isEqualTo(Ids.OPEN_ACL_UNSAFE);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    @DisplayName("With credentials nodes belong to their creator, and the refusal of others says so")
    void withCredentialsNodesBelongToTheirCreator() throws Exception {
        try (Leasehold leasehold = Leasehold.connect(uri("me:s3cret@"));
                Lease lease = leasehold.lock("a").acquire();
                Leasehold mine = Leasehold.connect(uri("me:s3cret@"));
                Leasehold other = Leasehold.connect(uri("you:0ther@"))) {
            ZOO.get().probe.addAuthInfo("digest", "me:s3cret".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            for (String made : List.of("/leasehold", "/leasehold/locks", "/leasehold/locks/a")) {
                assertThat(access(base + made)).singleElement().satisfies(acl -> {
                    assertThat(acl.getPerms()).isEqualTo(Perms.ALL);
                    assertThat(acl.getId().getScheme()).isEqualTo("digest");
                    assertThat(acl.getId().getId()).startsWith("me:").doesNotContain("s3cret");
                });
            }
            assertThat(lease.isValid()).isTrue();
            assertThat(mine.lock("a").tryAcquire()).isEmpty();
            assertThatThrownBy(() -> other.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("NOAUTH")
                    .hasMessageNotContaining("0ther");
        }
    }

    /** ZooKeeper deletes the node of a lock that nobody has used for a minute. */
    @Test
    void aUserWhoMayNotMakeTheLocksNodeIsToldSo() throws Exception {
        try (Leasehold leasehold = Leasehold.connect(uri("me:s3cret@"));
                Leasehold other = Leasehold.connect(uri("you:0ther@"))) {
            leasehold.lock("a").acquire().close();
            assertThatThrownBy(() -> other.lock("b").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    /** The examination opens a session of its own. */
    @Test
    void aPasswordBesideTheUriMakesTheSameUserAsOneInIt() throws Exception {
        try (Leasehold inUri = Leasehold.connect(uri("me:s3cr%2Ft@"));
                Leasehold beside = connect(uri("me@"), "s3cr/t");
                Leasehold wrong = connect(uri("me@"), "wr0ng")) {
            Lease lease = inUri.lock("a").acquire();
            assertThat(beside.lock("a").tryAcquire()).isEmpty();
            assertThat(beside.locks("a")).hasSize(1);
            lease.release();
            beside.lock("a").acquire().close();
            inUri.lock("a").acquire().close();
            assertThat(beside.examine().findings()).extracting(Finding::code).doesNotContain("zookeeper-open");
            assertThat(beside.toString()).doesNotContain("s3cr");
            assertThatThrownBy(() -> wrong.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("NOAUTH")
                    .hasMessageNotContaining("wr0ng");
        }
    }

    private static Leasehold connect(String uri, String password) {
        return Leasehold.builder().uri(uri, Map.of("password", password)).build();
    }

    /** The outcome is unknown where the engine has asked again meanwhile, and has not waited for the answer to that. */
    @Test
    @DisplayName("An unreachable ensemble is a failure that says that nothing was sent")
    void anUnreachableEnsembleWasSentNothing() throws Exception {
        String uri = "zookeeper://127.0.0.1:1?leasehold.storeTimeout=1500";
        try (Leasehold leasehold = Leasehold.connect(uri)) {
            assertThatThrownBy(() -> leasehold.lock("a").acquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing was sent");
        }
    }

    @Test
    void aGivenClientIsUsedUnderItsNamespaceAndNeverClosed() throws Exception {
        CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString("127.0.0.1:" + ZOO.get().port())
                .namespace("mine" + base)
                .retryPolicy(new RetryOneTime(100))
                .build();
        try {
            Leasehold early =
                    Leasehold.builder().store(ZooKeeperStore.using(curator)).build();
            assertThatThrownBy(() -> early.lock("a").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("start()");
            early.close();
            curator.start();
            int listeners = listeners(curator);
            ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
            Leasehold leasehold =
                    Leasehold.builder().store(ZooKeeperStore.using(curator)).build();
            String lock = "/mine" + base + "/leasehold/locks/a";
            Lease lease = leasehold.lock("a").acquire();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
            assertThat(ZOO.get().probe.getChildren(lock, false)).hasSize(1);
            lease.extend(Duration.ofSeconds(30));
            lease.release();
            LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));
            Lease kept = leasehold.lock("b", brief).acquire();
            leasehold.close(Duration.ZERO);
            assertThat(kept.isValid()).isFalse();
            assertThat(ZOO.get().probe.getChildren("/mine" + base + "/leasehold/locks/b", false))
                    .as("until the lease of what was held has run out")
                    .hasSize(1);
            assertThat(curator.getZookeeperClient().isConnected()).isTrue();
            await().until(() -> ZOO.get()
                            .probe
                            .getChildren("/mine" + base + "/leasehold/locks/b", false)
                            .isEmpty()
                    && ZOO.get()
                            .probe
                            .getChildren("/mine" + base + "/leasehold/clients", false)
                            .isEmpty());
            // Ours stops listening once its last node there is deleted. What else it does then comes before the next
            // answer.
            await().until(() -> listeners(curator) <= listeners);
            CompletableFuture<Integer> answered = new CompletableFuture<>();
            handle.exists("/", false, (code, path, ctx, stat) -> answered.complete(code), null);
            int code = answered.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(curator.getState()).isEqualTo(CuratorFrameworkState.STARTED);
            assertThat(code).isEqualTo(Code.OK.intValue());
            assertThat(curator.checkExists().forPath("/leasehold")).isNotNull();
        } finally {
            curator.close();
        }
    }

    private static int listeners(CuratorFramework curator) {
        return ((UnaryListenerManager<ConnectionStateListener>) curator.getConnectionStateListenable()).size();
    }

    /** The servers do that by themselves, since the node is a container. */
    @Test
    @DisplayName("a lock's node is removed after its last waiter, and not while somebody holds the lock or waits")
    void locksNode_afterItsLastWaiter_isRemoved() throws Exception {
        String lock = base + "/leasehold/locks/a";
        try (Leasehold leasehold = Leasehold.connect(uri(""));
                Leasehold other = Leasehold.connect(uri(""))) {
            Lease held = leasehold.lock("a").acquire();
            CompletableFuture<Lease> waiting = other.lock("a").acquireAsync();
            await().until(() -> ZOO.get().probe.getChildren(lock, false).size() == 2);
            ZOO.get().removeEmptyContainers();
            held.close();
            Lease next = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            ZOO.get().removeEmptyContainers();
            assertThat(ZOO.get().probe.getChildren(lock, false)).hasSize(1);
            next.close();
            await().until(() -> {
                ZOO.get().removeEmptyContainers();
                return ZOO.get().probe.exists(lock, false) == null;
            });
            leasehold.lock("a").acquire().close();
        }
    }

    @Test
    void noThreadOutlivesTheClientAndAllAreDaemonsOfOurs() throws Exception {
        List<Thread> before = List.copyOf(Thread.getAllStackTraces().keySet());
        try (Leasehold leasehold = Leasehold.connect(uri(""))) {
            leasehold.lock("a").acquire().close();
            assertThat(started(before)).isNotEmpty().allSatisfy(thread -> {
                assertThat(thread.isDaemon()).isTrue();
                assertThat(thread.getName()).matches("leasehold-.*|Curator-.*");
            });
        }
        await().until(() -> started(before).isEmpty());
    }

    private static List<Thread> started(List<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                // The server's, the test's, and the JVM's.
                .filter(
                        thread -> thread.getThreadGroup() != null
                                && !thread.getName()
                                        .matches(
                                                "NIO.*|Sync.*|Proc.*|Session.*|junit-.*|Attach.*|.*Compiler.*|surefire.*|Request.*|ForkJoin.*|C[12] .*|awaitility.*"))
                .toList();
    }
}

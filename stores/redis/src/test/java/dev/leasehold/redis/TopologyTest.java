package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Findings;
import io.lettuce.core.KillArgs;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about masters that change while locks are held. */
@Tag("slow")
class TopologyTest {

    @Test
    void aLeaseThatAReplicaKnowsOutlivesAFailOver() throws Exception {
        try (RedisGroup group = RedisGroup.sentinel();
                Leasehold client = Leasehold.builder()
                        .uri("redis-sentinel://localhost:"
                                + group.servers.get(2).port() + "#main")
                        .storeTimeout(Duration.ofSeconds(30))
                        .build()) {
            Lease lease = client.lock("x").acquire();
            await().until(() -> group.servers.get(1).commands().exists("leasehold:{x}") == 1);
            group.servers.get(0).kill();
            lease.extend(Duration.ofSeconds(40));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(client.lock("x").acquire().token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void theMasterIsFoundAmongSeveralServers() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold client = Leasehold.builder()
                        .uri("redis://localhost:" + group.servers.get(1).port() + ",localhost:"
                                + group.servers.get(0).port())
                        .storeTimeout(Duration.ofSeconds(30))
                        .build()) {
            RedisProcess master = group.servers.get(0);
            RedisProcess replica = group.servers.get(1);
            Lease first = client.lock("x").acquire();
            await().until(() -> replica.commands().exists("leasehold:{x}") == 1);
            master.commands().replicaof("127.0.0.1", replica.port());
            replica.commands().replicaofNoOne();
            first.extend(Duration.ofSeconds(40));
            assertThat(first.release()).isEqualTo(LeaseState.RELEASED);
        }
    }

    /**
     * Its inbox stayed at the old master, which is a replica now and was sent on all that the new one told. There nobody heard of
     * the grant, so the next one got the lock as well.
     */
    @Test
    void aWaiterAtTheOldMasterDoesNotHoldTheNextsGrant() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold holder = among(group.servers.get(0), group.servers.get(1));
                Leasehold left = among(group.servers.get(0), group.servers.get(1));
                Leasehold behind = among(group.servers.get(1), group.servers.get(0))) {
            RedisProcess old = group.servers.get(0);
            RedisProcess next = group.servers.get(1);
            Lease first = holder.lock("x").acquire();
            CompletableFuture<Lease> waiting = left.lock("x").acquireAsync();
            await().until(() -> next.commands().llen("leasehold:{x}:queue") == 1);
            next.commands().replicaofNoOne();
            old.commands().replicaof("127.0.0.1", next.port());
            await().until(() -> next.commands().info("replication").contains("state=online"));

            CompletableFuture<Lease> other = behind.lock("x").acquireAsync();
            await().until(() -> next.commands().llen("leasehold:{x}:queue") == 2);
            assertThat(first.release()).isEqualTo(LeaseState.RELEASED);
            Lease second = other.get(A_MINUTE, TimeUnit.SECONDS);
            // What the new master has told, the old one tells before this.
            String synced = "a message of the test";
            next.commands().set("synced", synced);
            await().until(() -> synced.equals(old.commands().get("synced")));
            assertThat(waiting).isNotDone();

            await().until(() ->
                    next.commands().pubsubChannels("leasehold:inbox:*").size() == 2);
            assertThat(waiting).isNotDone();
            assertThat(second.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(waiting.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(second.token());
        }
    }

    /** Each attempt to connect began with it, and took as long as it may. */
    @ParameterizedTest
    @ValueSource(strings = {"redis://SILENT,REPLICA,MASTER", "redis-sentinel://SILENT,SENTINEL#main"})
    void aSilentFirstAddressKeepsNobodyOut(String uri) throws Exception {
        try (RedisGroup group = RedisGroup.sentinel();
                RedisProcess silent = RedisProcess.start();
                Leasehold client = Leasehold.builder()
                        .uri(uri.replace("SILENT", "localhost:" + silent.port())
                                .replace(
                                        "MASTER",
                                        "localhost:" + group.servers.get(0).port())
                                .replace(
                                        "REPLICA",
                                        "localhost:" + group.servers.get(1).port())
                                .replace(
                                        "SENTINEL",
                                        "localhost:" + group.servers.get(2).port()))
                        .storeTimeout(Duration.ofSeconds(A_MINUTE))
                        .build()) {
            silent.signal("STOP");
            try {
                Lease first = client.lock("x").acquire();
                // It listens, too.
                CompletableFuture<Lease> next = client.prefixed("a").lock("x").acquireAsync();
                assertThat(next.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
                assertThat(first.release()).isEqualTo(LeaseState.RELEASED);
                assertThat(Findings.codes(client.examine(), Finding.Severity.SERIOUS))
                        .isEmpty();
            } finally {
                silent.signal("CONT");
            }
        }
    }

    @Test
    void aSilentFirstMasterOfAQuorumKeepsNobodyOut() throws Exception {
        try (RedlockFixture quorum = RedlockFixture.opened(3)) {
            Leasehold client = quorum.client();
            Leasehold other = quorum.client();
            quorum.servers.get(0).signal("STOP");
            try {
                Lease first = client.lock("x").acquire();
                CompletableFuture<Lease> next = other.lock("x").acquireAsync();
                assertThat(first.release()).isEqualTo(LeaseState.RELEASED);
                assertThat(next.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
            } finally {
                quorum.servers.get(0).signal("CONT");
            }
        }
    }

    /** Two clients held one lock, each at its own master, and no one said a word: the state after a fail-over by hand. */
    @Test
    void twoMastersAreRefusedAndBothNamed() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                Leasehold client = Leasehold.connect("redis://" + group.addresses() + "?leasehold.storeTimeout=4000")) {
            RedisProcess old = group.servers.get(0);
            RedisProcess next = group.servers.get(1);
            next.commands().replicaofNoOne();
            assertThatThrownBy(() -> client.lock("x").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("localhost:" + old.port() + " and redis://localhost:" + next.port());
            Examination seen = client.examine();
            assertThat(Findings.codes(seen, Finding.Severity.SERIOUS)).contains("redis-two-masters");
            assertThat(Findings.the("redis-two-masters", seen).what())
                    .contains("localhost:" + old.port(), "localhost:" + next.port());

            old.commands().replicaof("127.0.0.1", next.port());
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> client.lock("x").tryAcquire().isPresent());
        }
    }

    @Test
    void whereNobodyIsTheMasterEachIsNamed() throws Exception {
        try (RedisGroup group = RedisGroup.replicated();
                RedisProcess gone = RedisProcess.start()) {
            RedisProcess replica = group.servers.get(1);
            gone.kill();
            try (Leasehold client = Leasehold.connect("redis://localhost:" + gone.port() + ",localhost:"
                    + replica.port() + "?leasehold.storeTimeout=4000")) {
                assertThatThrownBy(() -> client.lock("x").tryAcquire())
                        .hasMessageContaining("redis://localhost:" + replica.port() + ": a replica")
                        .hasMessageContaining("redis://localhost:" + gone.port() + ": Connection refused");
            }
        }
    }

    private static Leasehold among(RedisProcess first, RedisProcess second) {
        return Leasehold.builder()
                .uri("redis://localhost:" + first.port() + ",localhost:" + second.port())
                .storeTimeout(Duration.ofSeconds(30))
                .build();
    }

    @Test
    void aLockIsRenewedAndHandedOverWhileItsSlotMoves() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold one = Leasehold.connect("redis-cluster://" + cluster.addresses());
                Leasehold other = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
            String key = "leasehold:{x}";
            int slot = SlotHash.getSlot(key);
            RedisProcess from = cluster.servers.get(slot * 3 / 16384);
            RedisProcess to = cluster.servers.get((slot * 3 / 16384 + 1) % 3);
            Lease first = one.lock("x").acquire();
            CompletableFuture<Lease> waiting = other.lock("x").acquireAsync();
            await().until(() -> from.commands().exists(key + ":queue") == 1);

            to.commands().clusterSetSlotImporting(slot, from.commands().clusterMyId());
            from.commands().clusterSetSlotMigrating(slot, to.commands().clusterMyId());
            assertThat(from.commands().migrate("127.0.0.1", to.port(), key, 0, 5000))
                    .isEqualTo("OK");
            // The lock's key is at its new place, its queue still at the old one.
            first.extend(Duration.ofSeconds(40));
            assertThat(first.release()).isEqualTo(LeaseState.RELEASED);

            for (String rest : List.of(":token", ":queue")) {
                from.commands().migrate("127.0.0.1", to.port(), key + rest, 0, 5000);
            }
            for (RedisProcess server : cluster.servers) {
                server.commands().clusterSetSlotNode(slot, to.commands().clusterMyId());
            }
            Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
            assertThat(second.token()).isGreaterThan(first.token());
            assertThat(second.release()).isEqualTo(LeaseState.RELEASED);
            assertThat(one.lock("x").acquire().token()).isGreaterThan(second.token());
        }
    }

    /** Some of its keys are here and some are not, which both nodes answer with TRYAGAIN until the slot has moved. */
    @Test
    void aClaimIntoAHalfMovedSlotIsAskedAgain() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold client = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
            int slot = SlotHash.getSlot("leasehold:{x}");
            RedisProcess from = cluster.servers.get(slot * 3 / 16384);
            RedisProcess to = cluster.servers.get((slot * 3 / 16384 + 1) % 3);
            Lease first = client.lock("x").acquire();
            first.release();
            to.commands().clusterSetSlotImporting(slot, from.commands().clusterMyId());
            from.commands().clusterSetSlotMigrating(slot, to.commands().clusterMyId());

            CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
            await().until(() -> from.commands().info("errorstats").contains("errorstat_TRYAGAIN"));
            from.commands().migrate("127.0.0.1", to.port(), "leasehold:{x}:token", 0, 5000);
            await().until(() -> to.commands().info("errorstats").contains("errorstat_TRYAGAIN"));
            assertThat(claim).isNotDone();
            for (RedisProcess server : cluster.servers) {
                server.commands().clusterSetSlotNode(slot, to.commands().clusterMyId());
            }
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).token()).isGreaterThan(first.token());
        }
    }

    /**
     * Its connections may lead to several nodes, where there is one name for all, and a node counts only those that listen at
     * itself: a grant that was heard elsewhere was taken back, and its token given to the next.
     */
    @Test
    void aServerInClusterModeIsRefusedIfNotNamedSo() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            RedisProcess node = cluster.servers.get(SlotHash.getSlot("leasehold:{x}") * 3 / 16384);
            for (String uri : List.of(node.uri(), "redlock://localhost:" + node.port())) {
                try (Leasehold client = Leasehold.connect(uri)) {
                    assertThatThrownBy(() -> client.lock("x").acquire())
                            .isInstanceOf(LockException.class)
                            .isNotInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("redis-cluster://");
                }
            }
        }
    }

    /** It was believed to be none while it loaded its data, and so for the life of the connection. */
    @Test
    void aNodeOfAClusterIsRefusedAlsoWhileItLoads() throws Exception {
        try (RedisProcess node = RedisProcess.start(
                "--cluster-enabled",
                "yes",
                "--key-load-delay",
                "50000",
                "--loading-process-events-interval-bytes",
                "1024")) {
            node.commands()
                    .clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
            await().until(() -> node.commands().clusterInfo().contains("cluster_state:ok"));
            for (int i = 0; i < 200; i++) {
                node.commands().set("key" + i, "x".repeat(2_000));
            }
            node.commands().save();
            node.kill();
            node.restart();
            try (Leasehold client = Leasehold.connect(node.uri() + "?leasehold.storeTimeout=60000")) {
                assertThatThrownBy(() -> client.lock("x").acquire()).hasMessageContaining("redis-cluster://");
            }
        }
    }

    /** To have twenty thousand leases confirmed because of a few cost leases on the other nodes. */
    @Test
    void aLostConnectionHasOnlyItsNodesLeasesConfirmed() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold client = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
            int[] held = new int[3];
            for (int i = 0; i < 60; i++) {
                assertThat(client.lock("lock" + i).acquire().isValid()).isTrue();
                held[SlotHash.getSlot("leasehold:{lock" + i + "}") * 3 / 16384]++;
            }
            cluster.servers.forEach(server -> server.commands().configResetstat());
            RedisProcess cut = cluster.servers.get(1);
            cut.commands().clientKill(KillArgs.Builder.typeNormal().skipme(true));
            await().until(() -> renewals(cut) >= held[1]);
            assertThat(renewals(cut)).isEqualTo(held[1]);
            assertThat(renewals(cluster.servers.get(0)) + renewals(cluster.servers.get(2)))
                    .isZero();
        }
    }

    private static int renewals(RedisProcess server) {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(server.commands().info("commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    @Test
    void aHungNodeOfAClusterDelaysNoLockButItsOwn() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold client = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
            List<Lease> healthy = new ArrayList<>();
            List<Lease> hung = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                Lease lease = client.lock(
                                "lock" + i,
                                dev.leasehold.LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3)))
                        .acquire();
                (SlotHash.getSlot("leasehold:{lock" + i + "}") * 3 / 16384 == 1 ? hung : healthy).add(lease);
            }
            assertThat(hung).isNotEmpty();
            cluster.servers.get(1).signal("STOP");
            try {
                await().until(() -> hung.stream().allMatch(lease -> lease.state() == LeaseState.LOST));
                assertThat(healthy).allMatch(Lease::isValid);
            } finally {
                cluster.servers.get(1).signal("CONT");
            }
        }
    }
}

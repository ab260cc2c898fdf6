package dev.leasehold.redis.node;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.redis.RedlockFixture;
import dev.leasehold.servers.Ports;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import io.lettuce.core.KillArgs;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about a master, and a replica that lags, stops, or takes over. */
@Tag("slow")
class ReplicasTest {

    private static final String KEY = "leasehold:{x}";
    private static final String WAITING = "leasehold.waitForReplicas=1&leasehold.waitTimeout=200";

    /** Acknowledgements that do not come are waited for so long. */
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(8);

    private final List<Leasehold> clients = new ArrayList<>();
    private final List<RedisProcess> servers = new ArrayList<>();
    private RedisProcess master;
    private RedisProcess replica;
    private FaultProxy replication;

    @BeforeEach
    void start() {
        master = server("--repl-diskless-sync-delay", "0");
        replication = FaultProxy.to(master.port());
        replica = replicaOf(replication.port());
    }

    private RedisProcess server(String... options) {
        RedisProcess server = RedisProcess.start(options);
        servers.add(server);
        return server;
    }

    private RedisProcess replicaOf(int port) {
        RedisProcess server = server("--replicaof", "127.0.0.1 " + port);
        await().until(() -> server.commands().info("replication").contains("master_link_status:up"));
        return server;
    }

    @AfterEach
    void stop() {
        replica.signal("CONT");
        replication.letGo();
        clients.forEach(Leasehold::close);
        replication.close();
        servers.forEach(RedisProcess::close);
    }

    private Leasehold client(String hosts, String query, Duration storeTimeout, Duration lease) {
        Leasehold client = Leasehold.builder()
                .uri("redis://" + hosts + (query.isEmpty() ? "" : "?" + query))
                .storeTimeout(storeTimeout)
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .build();
        clients.add(client);
        return client;
    }

    private Leasehold waiting(Duration lease) {
        return client("localhost:" + master.port(), WAITING, STORE_TIMEOUT, lease);
    }

    private String either() {
        return "localhost:" + replica.port() + ",localhost:" + master.port();
    }

    /** The server ends a WAIT with UNBLOCKED when it becomes a replica; all requests that waited for it failed for good. */
    @Test
    void aPlannedFailOverDoesNotFailThoseWhoWaitForReplicas() throws Exception {
        Leasehold client = client(
                "localhost:" + replica.port() + ",localhost:" + master.port(),
                "leasehold.waitForReplicas=1&leasehold.waitTimeout=5000",
                Duration.ofSeconds(30),
                Duration.ofSeconds(10));
        client.lock("warm").acquire().close();
        replication.blackHole();
        CompletableFuture<Lease> acquiring = client.lock("x").acquireAsync();
        await().until(() -> master.commands().info("clients").contains("blocked_clients:1"));
        replica.commands().replicaofNoOne();
        master.commands().replicaof("127.0.0.1", replica.port());
        assertThat(acquiring.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void aGrantAndARenewalCountWhenTheReplicaHasThem() throws Exception {
        Leasehold client = client(
                "localhost:" + master.port(),
                "leasehold.waitForReplicas=1&leasehold.waitTimeout=2000",
                Duration.ofSeconds(10),
                Duration.ofSeconds(30));
        client.lock("warm").acquire().close();
        replication.delay(Duration.ofMillis(150));
        for (int i = 0; i < 3; i++) {
            Lease lease = client.lock("x").acquire();
            assertThat(replica.commands().get(KEY)).contains("|" + lease.token() + "|");
            lease.extend(Duration.ofSeconds(100));
            assertThat(replica.commands().pttl(KEY)).isGreaterThan(90_000);
            lease.release();
        }
    }

    /**
     * A WAIT asks for what its own connection has written. Redis 8 and Valkey count only that, and answer at once for a
     * connection that has written nothing; 7.0 counts all that its master had written by the connection's last command.
     */
    @Test
    void theWaitComesBehindAWriteOfItsOwn() throws Exception {
        Leasehold client = waiting(Duration.ofSeconds(30));
        client.lock("warm").acquire().close();
        master.commands().configResetstat();
        try (Lease lease = client.lock("x").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(master.commands().info("commandstats")).contains("cmdstat_wait:", "cmdstat_pexpire:");
        }
    }

    @Test
    void aStoppedReplicaFailsClaimsAndLeavesNothing() throws Exception {
        Leasehold client = waiting(Duration.ofSeconds(30));
        client.lock("warm").acquire().close();
        replica.signal("STOP");
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("only 0 of the 1 replicas")
                .hasMessageContaining("localhost:" + master.port());
        await().until(() -> master.commands().keys(KEY + "*").equals(List.of(KEY + ":token")));
        replica.signal("CONT");
        awaitAcquired(client);
    }

    /** It may need more than one store time-out. */
    private static void awaitAcquired(Leasehold client) {
        await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                .until(() -> client.lock("x").tryAcquire().isPresent());
    }

    @Test
    void aReplicaThatComesBackInTimeIsWaitedFor() throws Exception {
        Leasehold client =
                client("localhost:" + master.port(), WAITING, Duration.ofSeconds(A_MINUTE), Duration.ofSeconds(30));
        replica.signal("STOP");
        CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
        await().until(() -> master.commands().exists(KEY) == 1);
        assertThat(claim).isNotDone();
        replica.signal("CONT");
        assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
    }

    @Test
    void anUnacknowledgedRenewalDoesNotMoveTheDeadline() throws Exception {
        Leasehold client = waiting(Duration.ofSeconds(3));
        Lease lease = client.lock("x").acquire();
        replica.signal("STOP");
        // The first renewal would have made four of the three seconds.
        RedlockFixture.awaitLossWithin(lease, Duration.ofSeconds(3));
    }

    @Test
    void aHandOverWithoutAcknowledgementDoesNotCount() throws Exception {
        Lease lease = waiting(Duration.ofSeconds(30)).lock("x").acquire();
        CompletableFuture<Lease> next =
                waiting(Duration.ofSeconds(30)).lock("x").acquireAsync();
        await().until(() -> master.commands().exists(KEY + ":queue") == 1);
        replica.signal("STOP");
        lease.release();
        await().until(() -> master.commands().exists(KEY + ":queue") == 0);
        assertThatThrownBy(() -> next.get(A_MINUTE, TimeUnit.SECONDS)).cause().hasMessageContaining("only 0 of the 1");
        await().until(() -> master.commands().exists(KEY) == 0);
    }

    @Test
    void aMissingReplicaDelaysOnlyWhatNeedsIt() throws Exception {
        Leasehold client = client(
                "localhost:" + master.port(),
                "leasehold.waitForReplicas=1&leasehold.waitTimeout=60000",
                Duration.ofMinutes(5),
                Duration.ofSeconds(30));
        Lease held = client.lock("held").acquire();
        replica.signal("STOP");
        CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
        await().until(this::isWaiting);
        assertThat(held.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(client.locks("*")).hasSize(1);
        assertThat(isWaiting()).isTrue();
        claim.cancel(true);
    }

    private boolean isWaiting() {
        return master.commands().clientList().lines().anyMatch(line -> line.matches(".* flags=b .* cmd=wait .*"));
    }

    @Test
    void inAClusterTheMasterOfTheSlotWaitsForItsReplica() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            RedisProcess slotMaster = cluster.servers.get(SlotHash.getSlot(KEY) * 3 / 16384);
            slotMaster.commands().configSet("repl-diskless-sync-delay", "0");
            int bus = Ports.next();
            RedisProcess follower = server("--cluster-enabled", "yes", "--cluster-port", Integer.toString(bus));
            slotMaster
                    .commands()
                    .dispatch(
                            CommandType.CLUSTER,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8)
                                    .add("MEET")
                                    .add("127.0.0.1")
                                    .add(follower.port())
                                    .add(bus));
            String id = slotMaster.commands().clusterMyId();
            await().until(() -> follower.commands().clusterNodes().contains(id));
            await().ignoreExceptions()
                    .until(() -> follower.commands().clusterReplicate(id).equals("OK"));
            await().until(() -> follower.commands().info("replication").contains("master_link_status:up"));
            // A node that has just joined may not know yet who serves which slots.
            await().until(() -> follower.commands().clusterInfo().contains("cluster_state:ok")
                    && follower.commands().clusterInfo().contains("cluster_slots_ok:16384"));
            String uri = "redis-cluster://" + cluster.addresses() + "?" + WAITING;
            try (Leasehold client =
                    Leasehold.builder().uri(uri).storeTimeout(STORE_TIMEOUT).build()) {
                Lease lease = client.lock("x").acquire();
                follower.commands().readOnly();
                assertThat(follower.commands().get(KEY)).contains("|" + lease.token() + "|");
                lease.release();
                follower.signal("STOP");
                assertThatThrownBy(() -> client.lock("x").acquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("only 0 of the 1");
                follower.signal("CONT");
                awaitAcquired(client);
            } finally {
                follower.signal("CONT");
            }
        }
    }

    @Test
    void manyShareOneWait() throws Exception {
        Leasehold client = waiting(Duration.ofSeconds(30));
        client.lock("warm").acquire().close();
        replication.delay(Duration.ofMillis(20));
        master.commands().configResetstat();
        List<CompletableFuture<Lease>> claims = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            claims.add(client.lock("lock" + i).acquireAsync());
        }
        for (CompletableFuture<Lease> claim : claims) {
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).isValid()).isTrue();
        }
        Matcher waits = Pattern.compile("cmdstat_wait:calls=(\\d+)")
                .matcher(master.commands().info("commandstats"));
        assertThat(waits.find()).isTrue();
        assertThat(Integer.parseInt(waits.group(1))).isBetween(1, 100);
    }

    /** Lets the replica take over without what was held back, as a fail-over to one that lags. */
    private void promoteLagging() {
        master.kill();
        replica.commands().replicaofNoOne();
    }

    @Test
    void aPromotedReplicaForgetsTheLockAndTokensIncrease() throws Exception {
        Leasehold holder = client(either(), "", Duration.ofSeconds(10), Duration.ofMinutes(10));
        Leasehold other = client(either(), "", Duration.ofSeconds(10), Duration.ofMinutes(10));
        Lease before = other.lock("x").acquire();
        before.close();
        await().until(() -> replica.commands().exists(KEY + ":token") == 1
                && replica.commands().exists(KEY) == 0);
        replication.hold(FaultProxy.Way.ANSWERS);
        Lease forgotten = holder.lock("x").acquire();
        assertThat(forgotten.isValid()).isTrue();
        promoteLagging();
        Lease second = other.lock("x").acquire();
        assertThat(second.token()).isGreaterThan(forgotten.token());
        // Told by the confirmation that follows the new connection, minutes before its next renewal.
        await().until(() -> forgotten.state() == LeaseState.LOST);
        assertThat(second.isValid()).isTrue();
        assertThatThrownBy(forgotten::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLaggingReplicaForgetsNothingThatWasGranted() throws Exception {
        Leasehold holder = client(either(), WAITING, STORE_TIMEOUT, Duration.ofSeconds(30));
        holder.lock("warm").acquire().close();
        replication.hold(FaultProxy.Way.ANSWERS);
        CompletableFuture<Lease> claim = holder.lock("x").acquireAsync();
        await().until(() -> master.commands().exists(KEY) == 1);
        promoteLagging();
        assertThatThrownBy(() -> claim.get(A_MINUTE, TimeUnit.SECONDS))
                .hasCauseInstanceOf(StoreUnavailableException.class);
        try (Leasehold other = client(either(), "", Duration.ofSeconds(10), Duration.ofSeconds(30))) {
            await().until(() -> other.lock("x").tryAcquire().isPresent());
        }
    }

    @Test
    void anotherMasterThatLacksTheLeaseAcknowledgesNothing() throws Exception {
        FaultProxy old = FaultProxy.to(master.port());
        Leasehold client = client(
                "localhost:" + replica.port() + ",localhost:" + old.port(),
                WAITING,
                STORE_TIMEOUT,
                Duration.ofSeconds(30));
        client.lock("warm").acquire().close();
        // Two masters, each with a replica; the client's commands still go to the first, its next WAIT to the second.
        old.refuse(true);
        replica.commands().configSet("repl-diskless-sync-delay", "0");
        replica.commands().replicaofNoOne();
        replicaOf(replica.port());
        replicaOf(master.port());
        Matcher waiter = Pattern.compile("id=(\\d+) [^\\n]*cmd=wait")
                .matcher(master.commands().clientList());
        assertThat(waiter.find()).isTrue();
        master.commands().clientKill(KillArgs.Builder.id(Long.parseLong(waiter.group(1))));
        assertThatThrownBy(() -> client.lock("x").acquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("does not have it");
        assertThat(replica.commands().exists(KEY)).isZero();
        await().until(() -> master.commands().exists(KEY) == 0);
        client.close();
        old.close();
    }

    @Test
    void timesThatTheClientCannotKeepAreRefused() {
        for (String query : new String[] {
            "leasehold.waitForReplicas=-1",
            "leasehold.waitForReplicas=one",
            "leasehold.waitForReplicas=1&leasehold.waitTimeout=0",
            "leasehold.waitForReplicas=1&leasehold.waitTimeout=2501",
            "leasehold.waitTimeout=100"
        }) {
            assertThatThrownBy(() -> client("localhost:1", query, Duration.ofSeconds(10), Duration.ofSeconds(30)))
                    .as(query)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("(?i).*(wait).*");
        }
    }
}

package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about when a client reads the map of a cluster, from which node, and what it does then. */
@Tag("slow")
class ClusterMapTest {

    private static final String KEY = "leasehold:{x}";

    private static int calls(RedisProcess server, String command) {
        Matcher calls = Pattern.compile("cmdstat_" + Pattern.quote(command) + ":calls=(\\d+)")
                .matcher(server.commands().info("commandstats"));
        return calls.find() ? Integer.parseInt(calls.group(1)) : 0;
    }

    private static int mapsRead(List<RedisProcess> servers) {
        return servers.stream()
                .mapToInt(server -> calls(server, "cluster|slots"))
                .sum();
    }

    @Test
    void aSilentFirstNodeKeepsNobodyOut() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster();
                RedisProcess silent = RedisProcess.start();
                Leasehold client = Leasehold.connect("redis-cluster://localhost:" + silent.port() + ","
                        + cluster.addresses() + "?leasehold.storeTimeout=1500")) {
            silent.signal("STOP");
            try {
                await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                        .until(() -> client.lock("x").tryAcquire().isPresent());
            } finally {
                silent.signal("CONT");
            }
        }
    }

    @Test
    void whereNoNodeAnswersEachIsNamed() throws Exception {
        try (RedisProcess refusing = RedisProcess.start("--requirepass", "other");
                Leasehold client = Leasehold.connect("redis-cluster://localhost:" + refusing.port() + ",localhost:1")) {
            assertThatThrownBy(() -> client.lock("x").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("localhost:1 could not be asked")
                    .hasMessageContaining("localhost:" + refusing.port() + " refused")
                    .hasMessageContaining("NOAUTH");
        }
    }

    /** A client that only ever fails to connect to it. */
    private static final class Unconnected extends RedisClient {
        final AtomicInteger attempts = new AtomicInteger();
        volatile int port;

        Unconnected() {
            super(ClientResources.create(), RedisURI.create("redis://localhost"));
        }

        @Override
        public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
                RedisCodec<K, V> codec, RedisURI uri) {
            if (uri.getPort() != port) {
                return super.connectAsync(codec, uri);
            }
            attempts.incrementAndGet();
            return ConnectionFuture.from(new InetSocketAddress(port), new CompletableFuture<>());
        }
    }

    /** It was read when an attempt to connect had failed: five seconds later than another node had its slots. */
    @Test
    void itIsReadWhileANodeIsBeingConnectedTo() throws Exception {
        Unconnected given = new Unconnected();
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold client = Leasehold.builder()
                        .store(RedisStore.usingCluster(
                                given,
                                List.of(RedisURI.create(cluster.servers.get(0).uri()))))
                        .storeTimeout(Duration.ofMinutes(2))
                        .build()) {
            RedisProcess gone = cluster.servers.get(RedisGroup.firstMaster(SlotHash.getSlot(KEY)));
            client.lock("x").acquire().close();
            given.port = gone.port();
            gone.commands().clientKill(KillArgs.Builder.typeNormal().skipme(true));
            CompletableFuture<Lease> claim = client.lock("x").acquireAsync();
            int[] attempt = new int[2];
            // Often while one attempt lasts, in one of them at least.
            await().until(() -> {
                int now = given.attempts.get();
                int read = mapsRead(cluster.servers);
                if (now != attempt[0]) {
                    attempt[0] = now;
                    attempt[1] = read;
                }
                return read >= attempt[1] + 3 && given.attempts.get() == now;
            });
            given.port = 0;
            assertThat(claim.get(A_MINUTE, TimeUnit.SECONDS).release()).isEqualTo(LeaseState.RELEASED);
        } finally {
            given.shutdown(0, 0, TimeUnit.SECONDS);
            given.getResources().shutdown();
        }
    }

    /** One slot that had moved put every lease in doubt, and they were renewed in step from then on. */
    @Test
    void onlyLeasesWhoseSlotHasMovedAreInDoubt() throws Exception {
        LockOptions seldom = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(30));
        try (RedisGroup cluster = RedisGroup.cluster();
                Leasehold client = Leasehold.connect("redis-cluster://" + cluster.addresses())) {
            int slot = SlotHash.getSlot(KEY);
            RedisProcess from = cluster.servers.get(RedisGroup.firstMaster(slot));
            RedisProcess to = cluster.servers.get((RedisGroup.firstMaster(slot) + 1) % 3);
            Lease moving = client.lock("x", seldom).acquire();
            for (int i = 0; i < 60; i++) {
                assertThat(client.lock("lock" + i, seldom).acquire().isValid()).isTrue();
            }
            cluster.servers.forEach(server -> server.commands().configResetstat());
            to.commands().clusterSetSlotImporting(slot, from.commands().clusterMyId());
            from.commands().clusterSetSlotMigrating(slot, to.commands().clusterMyId());
            for (String key : List.of(KEY, KEY + ":token")) {
                from.commands().migrate("127.0.0.1", to.port(), key, 0, 5000);
            }
            for (RedisProcess server : cluster.servers) {
                server.commands().clusterSetSlotNode(slot, to.commands().clusterMyId());
            }
            // The map is read again 200 ms after the last time at the earliest.
            TimeUnit.MILLISECONDS.sleep(300);
            moving.extend(Duration.ofMinutes(30));
            // The extension, and the confirmation after the map was read.
            await().until(() -> mapsRead(cluster.servers) > 0 && calls(to, "evalsha") + calls(to, "eval") >= 2);
            assertThat(cluster.servers.stream()
                            .mapToInt(server -> calls(server, "evalsha") + calls(server, "eval"))
                            .sum())
                    .isLessThan(10);
        }
    }
}

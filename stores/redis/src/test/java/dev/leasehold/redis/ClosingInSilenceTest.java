package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client whose servers are stopped closes soon: its threads and connections end in the background. */
@Tag("slow")
class ClosingInSilenceTest {

    private final String name = "lock-" + UUID.randomUUID();

    @RegisterExtension
    private static final Started<RedisProcess> ONE = new Started<>(RedisProcess::start);

    @RegisterExtension
    private static final Started<RedisGroup> SENTINEL = new Started<>(RedisGroup::sentinel);

    @RegisterExtension
    private static final Started<RedisGroup> CLUSTER = new Started<>(RedisGroup::cluster);

    @RegisterExtension
    private static final Started<RedlockFixture> QUORUM = new Started<>(() -> RedlockFixture.opened(3));

    @Test
    void oneServerIsNotWaitedFor() throws Exception {
        closesSoon(Leasehold.builder().uri(ONE.get().uri()), List.of(ONE.get()));
    }

    @Test
    void sentinelsAreNotWaitedFor() throws Exception {
        List<RedisProcess> servers = SENTINEL.get().servers;
        String uri = "redis-sentinel://localhost:" + servers.get(2).port() + "#main";
        closesSoon(Leasehold.builder().uri(uri), servers);
    }

    @Test
    void aClusterIsNotWaitedFor() throws Exception {
        closesSoon(Leasehold.builder().uri("redis-cluster://" + CLUSTER.get().addresses()), CLUSTER.get().servers);
    }

    @Test
    void aQuorumIsNotWaitedFor() throws Exception {
        closesSoon(Leasehold.builder().store(QUORUM.get().store), QUORUM.get().servers);
    }

    private void closesSoon(LeaseholdBuilder builder, List<RedisProcess> servers) throws Exception {
        Leasehold leasehold = builder.storeTimeout(Duration.ofMinutes(10)).build();
        Lease over = leasehold
                .lock(name, LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)))
                .acquire();
        Lease givenBack = leasehold.lock(name + 2).acquire();
        Lease held = leasehold.lock(name + 3).acquire();
        servers.forEach(server -> server.signal("STOP"));
        try {
            givenBack.releaseAsync();
            CompletableFuture<Lease> waits = leasehold.lock(name + 4).acquireAsync();
            await().until(() -> over.state() == LeaseState.LOST);
            CompletableFuture.runAsync(leasehold::close).get(A_MINUTE, SECONDS);
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            assertThat(waits).failsWithin(Duration.ofSeconds(A_MINUTE));
        } finally {
            servers.forEach(server -> server.signal("CONT"));
        }
    }
}

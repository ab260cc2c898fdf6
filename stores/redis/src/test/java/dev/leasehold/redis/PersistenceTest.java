package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.servers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about servers that come back with what they knew, with less, or with nothing. */
@Tag("slow")
class PersistenceTest {

    private static final String KEY = "leasehold:{x}";

    private final List<Leasehold> clients = new ArrayList<>();
    private RedisProcess redis;

    @AfterEach
    void stop() {
        clients.forEach(Leasehold::close);
        redis.close();
    }

    private Leasehold client() {
        Leasehold client = Leasehold.connect(redis.uri());
        clients.add(client);
        return client;
    }

    private void crash() {
        redis.kill();
        redis.restart();
        await().ignoreExceptions().until(() -> redis.commands().ping().equals("PONG"));
    }

    @Test
    void aLeaseOutlivesARestartThatKeepsTheAppendOnlyFile() throws Exception {
        redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always");
        outlivesTheRestart();
    }

    @Test
    void aLeaseOutlivesARestartThatKeepsASnapshot() throws Exception {
        redis = RedisProcess.start();
        outlivesTheRestart();
    }

    private void outlivesTheRestart() throws Exception {
        Lease lease = client().lock("x").acquire();
        redis.commands().save();
        crash();
        assertThat(client().lock("x").tryAcquire()).isEmpty();
        lease.extend(Duration.ofSeconds(60));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(redis.commands().pttl(KEY)).isBetween(55_000L, 60_000L);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(client().lock("x").acquire().token()).isGreaterThan(lease.token());
    }

    @Test
    void anOldSnapshotLosesTheLockAndTokensIncrease() throws Exception {
        redis = RedisProcess.start();
        Lease earlier = client().lock("x").acquire();
        redis.commands().save();
        earlier.release();
        Lease later = client().lock("x").acquire();
        crash();
        // The snapshot brings the earlier lease back: it blocks until it runs out, and nobody believes to have it.
        await().until(() -> later.state() == LeaseState.LOST);
        assertThat(redis.commands().get(KEY)).contains("|" + earlier.token() + "|");
        assertThat(client().lock("x").tryAcquire()).isEmpty();
        redis.commands().pexpire(KEY, 200);
        assertThat(client().lock("x").acquire().token()).isGreaterThan(later.token());
    }

    @Test
    void tokensIncreaseWhenTheRecordOfTheLastHasRunOut() throws Exception {
        redis = RedisProcess.start();
        Lease lease = client().lock("x").acquire();
        lease.release();
        redis.commands().pexpire(KEY + ":token", 1);
        await().until(() -> redis.commands().exists(KEY + ":token") == 0);
        assertThat(client().lock("x").acquire().token()).isGreaterThan(lease.token());
    }

    @Test
    void tokensIncreaseWhenTheRecordRunsOutUnderALease() throws Exception {
        redis = RedisProcess.start();
        Lease lease = client().lock("x").acquire();
        redis.commands().del(KEY + ":token");
        lease.extend(Duration.ofSeconds(60));
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(client().lock("x").acquire().token()).isGreaterThan(lease.token());
    }
}

package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.servers.RedisGroup;
import dev.leasehold.servers.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks that are shared with clients of other kinds, in a Cluster. */
@Tag("slow")
class PlainClusterKeysTest {

    @Test
    void aPlainLockInAClusterHasOneSlotAndNoBraces() throws Exception {
        try (RedisGroup cluster = RedisGroup.cluster()) {
            String uri = "redis-cluster://" + cluster.addresses() + "?leasehold.keys=plain";
            Leasehold one = Leasehold.connect(uri);
            Leasehold other = Leasehold.connect(uri);
            for (String name : new String[] {"x", "order 42", "a%7Bb", "🔒"}) {
                Lease first = one.lock(name).acquire();
                CompletableFuture<Lease> waiting = other.lock(name).acquireAsync();
                await().until(() -> one.locks(name).get(0).waiters().size() == 1);
                first.release();
                Lease second = waiting.get(A_MINUTE, TimeUnit.SECONDS);
                assertThat(second.token()).isGreaterThan(first.token());
                RedisProcess server = cluster.servers.get(io.lettuce.core.cluster.SlotHash.getSlot(name) * 3 / 16384);
                assertThat(server.commands().get(name)).startsWith("leasehold|1|");
                second.release();
                assertThat(new ForeignClient(server.commands()).tryLock(name, Duration.ofSeconds(30)))
                        .isNotNull();
                assertThat(one.lock(name).tryAcquire()).isEmpty();
            }
            assertThatThrownBy(() -> one.lock("a{b}").acquire())
                    .isInstanceOf(LockException.class)
                    .hasMessageContaining("brace");
            one.close();
            other.close();
        }
    }
}

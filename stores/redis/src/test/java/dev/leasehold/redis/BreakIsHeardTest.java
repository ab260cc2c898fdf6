package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A holder that has never waited for a lock had no ear for the message that its lease was broken. */
@Tag("slow")
class BreakIsHeardTest {

    /** Renewals of such a lease are more than three minutes apart. */
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));

    @Test
    void aHolderThatHasRenewedHearsOfABreakAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start()) {
            expectHeard(new RedisStoreProvider().create(StoreUri.parse(server.uri())), List.of(server));
        }
    }

    @Test
    void aHolderOnAQuorumHearsOfItToo() throws Exception {
        try (Masters masters = Masters.start(3)) {
            RedlockStore quorum = RedlockStore.of(masters.uris()).withMaxLease(LONG.leaseDuration());
            quorum.initialize();
            expectHeard(quorum, masters.servers);
        }
    }

    private static void expectHeard(StoreFactory store, List<RedisProcess> servers) throws Exception {
        try (Leasehold holder = Leasehold.builder().store(store).build();
                Leasehold operator = Leasehold.builder().store(store).build()) {
            Lease lease = holder.lock("a", LONG).acquire();
            lease.extend(LONG.leaseDuration());
            for (RedisProcess server : servers) {
                await().until(() -> !server.commands().pubsubChannels().isEmpty());
            }
            assertThat(operator.breakLock("a", lease.token())).isTrue();
            assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
        }
    }
}

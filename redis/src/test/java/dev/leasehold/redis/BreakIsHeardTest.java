package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A holder that has never waited for a lock had no ear for the message that its lease was broken. */
class BreakIsHeardTest {

    /** Renewals of such a lease are more than three minutes apart. */
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));

    @Test
    void aHolderThatHasRenewedHearsOfABreakAtOnce() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                Leasehold holder = Leasehold.connect(server.uri());
                Leasehold operator = Leasehold.connect(server.uri())) {
            Lease lease = holder.lock("a", LONG).acquire();
            lease.extend(LONG.leaseDuration());
            await().until(() -> !server.commands().pubsubChannels().isEmpty());
            assertThat(operator.breakLock("a", lease.token())).isTrue();
            assertThat(lease.ended().toCompletableFuture().get(A_MINUTE, TimeUnit.SECONDS))
                    .isEqualTo(LeaseState.LOST);
        }
    }
}

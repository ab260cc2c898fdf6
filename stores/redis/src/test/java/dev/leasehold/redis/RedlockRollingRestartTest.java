package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All masters are restarted, one at a time, while somebody tries for the lock that another holds. Real time, real servers. */
@Tag("slow")
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RedlockRollingRestartTest {

    private static final Duration LONGEST = Duration.ofSeconds(3);
    private static final int MASTERS = 5;

    /** Between two tries: without it the contender keeps a processor busy, and it is the machine that is tested. */
    private static final long PAUSE_NANOS = 10_000_000;

    private static final String KEY = "leasehold:{x}";

    private RedlockFixture fixture;

    @AfterEach
    void stop() {
        fixture.close();
    }

    /** The lease ended when the third of five was restarted: none was given back to it. */
    @Test
    void aHolderGetsEachMasterBackWhileAnotherTries() throws Exception {
        fixture = RedlockFixture.opened(MASTERS, LONGEST);
        Lease lease = fixture.client(fixture.store, LONGEST).lock("x").acquire();
        fixture.awaitHeldEverywhere("x");
        Leasehold other = fixture.client(fixture.store, LONGEST);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong tried = new AtomicLong();
        CompletableFuture<?> contender = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                if (isAnswered(other)) {
                    tried.incrementAndGet();
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        });
        try {
            for (int i = 0; i < MASTERS; i++) {
                fixture.crash(i);
                int node = i;
                await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
                    assertThat(lease.state()).isNotEqualTo(LeaseState.LOST);
                    assertThat(fixture.server(node).commands().get(KEY)).contains("|" + lease.token() + "|");
                });
                assertThat(lease.isValid()).isTrue();
            }
        } finally {
            over.set(true);
            contender.get(A_MINUTE, TimeUnit.SECONDS);
        }
        assertThat(tried).hasValueGreaterThan(100);
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
    }

    /** A try has a second: where the machine stands still for so long, it is told that the masters did not answer. */
    private static boolean isAnswered(Leasehold other) {
        try {
            assertThat(other.lock("x").tryAcquire(Duration.ofMillis(5))).isEmpty();
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

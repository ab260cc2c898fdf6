package dev.leasehold.engine;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Store;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Virtual threads that never let their carriers go, as pinned ones do, keep no lease from its renewals and no holder from the
 * news of its loss: the client's threads are the platform's.
 */
class BusyCarriersTest {

    private volatile boolean done;

    @BeforeEach
    void occupyAllCarriers() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch busy = new CountDownLatch(carriers);
        Runnable spinning = () -> {
            busy.countDown();
            while (!done) {
                Thread.onSpinWait();
            }
        };
        for (int i = 0; i < carriers; i++) {
            start.invoke(null, spinning);
        }
        assertThat(busy.await(A_MINUTE, TimeUnit.SECONDS))
                .as("each has a carrier")
                .isTrue();
    }

    @AfterEach
    void letCarriersGo() {
        done = true;
    }

    private static Leasehold client(WrappedStore store, int leaseSeconds) {
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(leaseSeconds));
        return Leasehold.builder().store(store).options(options).build();
    }

    @Test
    void leasesAreRenewedThoughAllCarriersAreBusy() throws Exception {
        WrappedStore store = new WrappedStore();
        try (Leasehold client = client(store, 10);
                Lease lease = client.lock("a").acquire()) {
            await().until(() -> store.operations.get() > 1); // One is the claim, the other a renewal.
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aLossIsToldThoughAllCarriersAreBusy() throws Exception {
        WrappedStore silent = new WrappedStore() {
            @Override
            CompletionStage<RenewAnswer> renew(Store store, LeaseId lease, Duration duration) {
                return new CompletableFuture<>();
            }
        };
        CompletableFuture<LeaseState> told = new CompletableFuture<>();
        try (Leasehold client = client(silent, 1)) {
            Lease lease = client.lock("a").acquire();
            lease.onStateChange((changed, state) -> {
                if (state.isFinal()) {
                    told.complete(state);
                }
            });
            assertThat(told.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(LeaseState.LOST);
            assertThat(lease.isValid()).isFalse();
        }
    }
}

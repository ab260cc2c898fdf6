package dev.leasehold.zookeeper;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.spi.StoreFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose ensemble is stopped closes soon: its threads and connections end in the background. */
@Tag("slow")
class ClosingInSilenceTest {

    private static final int SESSION_MILLIS = 300_000;

    @Test
    void anEnsembleIsNotWaitedFor() throws Exception {
        try (EnsembleProcesses ensemble = new EnsembleProcesses()) {
            closesSoon(ensemble, Zoo.store(ensemble.servers(), SESSION_MILLIS));
        }
    }

    @Test
    void norOverACuratorThatWouldTryForEver() throws Exception {
        try (EnsembleProcesses ensemble = new EnsembleProcesses();
                CuratorFramework curator = CuratorFrameworkFactory.newClient(
                        ensemble.servers(), SESSION_MILLIS, 30_000, new RetryForever(1_000))) {
            curator.start();
            closesSoon(ensemble, ZooKeeperStore.using(curator));
        }
    }

    private static void closesSoon(EnsembleProcesses ensemble, StoreFactory store) throws Exception {
        Leasehold leasehold = Leasehold.builder()
                .store(store)
                .options(LockOptions.defaults().withLeaseDuration(Duration.ofMillis(SESSION_MILLIS)))
                .storeTimeout(Duration.ofMinutes(10))
                .build();
        Lease givenBack = leasehold.lock("given back").acquire();
        Lease held = leasehold.lock("held").acquire();
        for (int i = 0; i < 3; i++) {
            ensemble.signal(i, "STOP");
        }
        try {
            CompletableFuture<LeaseState> release = givenBack.releaseAsync();
            CompletableFuture<Lease> waits = leasehold.lock("wanted").acquireAsync();
            assertThat(held.isValid()).isTrue();
            CompletableFuture.runAsync(leasehold::close).get(A_MINUTE, SECONDS);
            assertThat(release).as("the release goes on").isNotDone();
            assertThat(held.state()).isEqualTo(LeaseState.LOST);
            assertThat(waits).failsWithin(Duration.ofSeconds(A_MINUTE));
        } finally {
            for (int i = 0; i < 3; i++) {
                ensemble.signal(i, "CONT");
            }
        }
    }
}

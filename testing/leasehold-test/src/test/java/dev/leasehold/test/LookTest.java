package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.memory.MemoryStoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A look at a lease tells the engine what the clocks show, though no timer has run. */
class LookTest {

    private final VirtualTime time = new VirtualTime();
    private final Leasehold client = Leasehold.builder()
            .store(new MemoryStoreProvider().create(StoreUri.parse("memory:")))
            .timeSource(time)
            .executor(Runnable::run)
            .build();
    private final List<LeaseState> told = new ArrayList<>();
    private Lease lease;

    @BeforeEach
    void acquire() throws InterruptedException {
        lease = client.lock("a").acquire();
        lease.addListener((same, state) -> told.add(state));
    }

    @AfterEach
    void close() {
        client.close(Duration.ZERO);
    }

    @Test
    void aLossThatIsSeenIsToldToTheListenersAtOnce() {
        time.pause(Duration.ofSeconds(31));
        assertThat(told).isEmpty();
        assertThat(lease.isValid()).isFalse();
        assertThat(told).contains(LeaseState.LOST);
    }

    @Test
    void aDoubtThatIsSeenIsConfirmedAtOnce() {
        time.jumpWallClock(Duration.ofHours(-1));
        assertThat(lease.state()).isEqualTo(LeaseState.UNCONFIRMED);
        assertThat(lease.state()).as("after the store's answer").isEqualTo(LeaseState.HELD);
    }
}

package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.test.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** These tests are about how long a client listens for what it holds. */
@Tag("slow")
class RenewedLeasesTest {

    private static final ClaimId ONE = new ClaimId("client", 1);
    private static final ClaimId TWO = new ClaimId("client", 2);

    private final VirtualTime time = new VirtualTime();
    private final RenewedLeases leases = new RenewedLeases(time);

    @Test
    void whatIsRenewedCountsUntilItIsGivenBack() {
        assertThat(leases.isEmpty()).isTrue();
        leases.add(ONE, Duration.ofMinutes(10));
        leases.add(TWO, Duration.ofMinutes(10));
        leases.remove(ONE);
        assertThat(leases.isEmpty()).isFalse();
        leases.remove(TWO);
        assertThat(leases.isEmpty()).isTrue();
    }

    @Test
    void whatIsForgottenCountsUntilItsEnd() {
        leases.add(ONE, Duration.ofSeconds(10));
        time.advance(Duration.ofSeconds(9));
        leases.add(ONE, Duration.ofSeconds(10));
        time.advance(Duration.ofSeconds(9));
        assertThat(leases.isEmpty()).isFalse();
        time.advance(Duration.ofSeconds(1));
        assertThat(leases.isEmpty()).isTrue();
    }
}

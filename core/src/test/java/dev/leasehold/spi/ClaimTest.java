package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A claim reserves no more tokens than keep them near the store's clock. */
class ClaimTest {

    private static Claim withSpare(int spare) {
        return new Claim(new ClaimId("client", 1), "lock", Duration.ofSeconds(30), spare, true);
    }

    @Test
    void aRunHasSixtyFourSpareTokensAtMost() {
        assertThat(withSpare(64).spare()).isEqualTo(64);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> withSpare(65))
                .withMessageContaining("spare must be 0 to 64");
        assertThatIllegalArgumentException().isThrownBy(() -> withSpare(-1));
    }
}

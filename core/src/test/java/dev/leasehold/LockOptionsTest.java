package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockOptionsTest {

    private static final Duration TOO_LONG = LockOptions.FOREVER.plusNanos(1);
    private static final Duration TOO_SHORT = Duration.ofMillis(100).minusNanos(1);

    private final LockOptions defaults = LockOptions.defaults();

    @Test
    void theDefaultsAreThoseOfTheContract() {
        assertThat(defaults)
                .isEqualTo(new LockOptions(Duration.ofSeconds(30), true, Duration.ofHours(24), Duration.ZERO, false));
    }

    @Test
    void eachChangeChangesOneThing() {
        LockOptions all = defaults.withLeaseDuration(Duration.ofSeconds(1))
                .withAutoRenew(false)
                .withMaxHold(Duration.ofSeconds(2))
                .withAtLeast(Duration.ofSeconds(3))
                .withInterruptOnLoss(true);
        assertThat(all)
                .isEqualTo(new LockOptions(
                        Duration.ofSeconds(1), false, Duration.ofSeconds(2), Duration.ofSeconds(3), true));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThat(defaults.withLeaseDuration(LockOptions.SHORTEST_LEASE).leaseDuration())
                .hasMillis(100);
        assertThat(defaults.withLeaseDuration(LockOptions.FOREVER).leaseDuration())
                .hasDays(36_500);
        assertThat(defaults.withAtLeast(Duration.ZERO).atLeast()).isZero();
    }

    @Test
    void whatIsOutOfRangeIsRefusedByName() {
        for (Duration bad : new Duration[] {TOO_SHORT, TOO_LONG, Duration.ZERO, Duration.ofNanos(-1)}) {
            assertThatThrownBy(() -> defaults.withLeaseDuration(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("leaseDuration")
                    .hasMessageContaining("100 ms")
                    .hasMessageContaining(bad.toString());
            assertThatThrownBy(() -> defaults.withMaxHold(bad)).hasMessageContaining("maxHold");
        }
        assertThatThrownBy(() -> defaults.withAtLeast(Duration.ofNanos(-1))).hasMessageContaining("atLeast");
        assertThatThrownBy(() -> defaults.withAtLeast(TOO_LONG)).hasMessageContaining("atLeast");
        assertThatThrownBy(() -> defaults.withMaxHold(null)).isInstanceOf(NullPointerException.class);
    }
}

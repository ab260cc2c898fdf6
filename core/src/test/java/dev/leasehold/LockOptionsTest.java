package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.internal.DurationText;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockOptionsTest {

    private static final Duration TOO_LONG = LockOptions.FOREVER.plusNanos(1);
    private static final Duration TOO_SHORT = Duration.ofMillis(100).minusNanos(1);

    private final LockOptions defaults = LockOptions.defaults();

    @Test
    void theDefaultsAreThoseOfTheContract() {
        assertThat(defaults.leaseDuration()).hasSeconds(30);
        assertThat(defaults.autoRenew()).isTrue();
        assertThat(defaults.maxHold()).hasHours(24);
        assertThat(defaults.minHold()).isZero();
        assertThat(defaults.interruptOnLoss()).isFalse();
    }

    @Test
    void eachChangeChangesOneThing() {
        LockOptions all = defaults.withLeaseDuration(Duration.ofSeconds(1))
                .withAutoRenew(false)
                .withMaxHold(Duration.ofSeconds(2))
                .withMinHold(Duration.ofSeconds(3))
                .withInterruptOnLoss(true);
        assertThat(all.leaseDuration()).hasSeconds(1);
        assertThat(all.autoRenew()).isFalse();
        assertThat(all.maxHold()).hasSeconds(2);
        assertThat(all.minHold()).hasSeconds(3);
        assertThat(all.interruptOnLoss()).isTrue();
        assertThat(all).isNotEqualTo(defaults).hasToString(all.toString()).isEqualTo(all.withAutoRenew(false));
        assertThat(all).hasSameHashCodeAs(all.withAutoRenew(false));
    }

    @Test
    void aFurtherOptionWouldBreakNoCaller() {
        assertThat(LockOptions.class.getConstructors()).isEmpty();
        assertThat(ElectionOptions.class.getConstructors()).isEmpty();
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThat(defaults.withLeaseDuration(LockOptions.SHORTEST_LEASE).leaseDuration())
                .hasMillis(100);
        assertThat(defaults.withLeaseDuration(LockOptions.FOREVER).leaseDuration())
                .hasDays(36_500);
        assertThat(defaults.withMinHold(Duration.ZERO).minHold()).isZero();
    }

    @Test
    void whatIsOutOfRangeIsRefusedByName() {
        for (Duration bad : new Duration[] {TOO_SHORT, TOO_LONG, Duration.ZERO, Duration.ofNanos(-1)}) {
            assertThatThrownBy(() -> defaults.withLeaseDuration(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("leaseDuration")
                    .hasMessageContaining("100 ms")
                    .hasMessageContaining(DurationText.of(bad));
            assertThatThrownBy(() -> defaults.withMaxHold(bad)).hasMessageContaining("maxHold");
        }
        assertThatThrownBy(() -> defaults.withMinHold(Duration.ofNanos(-1))).hasMessageContaining("minHold");
        assertThatThrownBy(() -> defaults.withMinHold(TOO_LONG)).hasMessageContaining("minHold");
        assertThatThrownBy(() -> defaults.withMaxHold(null)).isInstanceOf(NullPointerException.class);
    }
}

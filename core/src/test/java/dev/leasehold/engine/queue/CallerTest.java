package dev.leasehold.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CallerTest {

    @Test
    void aHoldThatMayLastLessThanALeaseGetsAShorterLease() {
        LockOptions options = LockOptions.defaults().withMaxHold(Duration.ofSeconds(2));
        assertThat(new Caller(options, false, null).options().leaseDuration()).isEqualTo(Duration.ofSeconds(2));
        LockOptions usual = LockOptions.defaults();
        assertThat(new Caller(usual, false, null).options()).isSameAs(usual);
    }
}

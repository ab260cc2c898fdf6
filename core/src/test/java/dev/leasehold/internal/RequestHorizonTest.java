package dev.leasehold.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** These tests show for how long a request that was given up is reckoned with. */
class RequestHorizonTest {

    @Test
    void itIsTheStoreTimeoutWhereThatIsShort() {
        assertThat(RequestHorizon.of(Duration.ofMillis(4_999))).isEqualTo(Duration.ofMillis(4_999));
    }

    @Test
    void itIsFiveSecondsAtMost() {
        assertThat(RequestHorizon.of(Duration.ofSeconds(60))).isEqualTo(Duration.ofSeconds(5));
    }
}

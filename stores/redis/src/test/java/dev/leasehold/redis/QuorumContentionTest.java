package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contenders in several processes, with the gate and without: every one is served. How fast, {@link QuorumContention} says. */
@Tag("slow")
class QuorumContentionTest {

    @Test
    void everyContenderIsServed() throws Exception {
        try (Masters masters = Masters.start(5)) {
            RedlockStore.of(masters.uris()).initialize();
            for (boolean gated : new boolean[] {true, false}) {
                QuorumContention.Result seen = QuorumContention.run(masters, gated, 2, 4, Duration.ofSeconds(2));
                assertThat(seen.contenders()).isEqualTo(8);
                assertThat(seen.least()).isPositive();
                assertThat(seen.moved()).isPositive();
                assertThat(seen.failed()).isNotNegative();
            }
        }
    }
}

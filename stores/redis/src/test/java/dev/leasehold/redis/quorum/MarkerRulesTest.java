package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.script.KeyNames;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** This test is about the time in which a master that may have forgotten leases has no vote. */
@Tag("slow")
class MarkerRulesTest {

    @Test
    void aVoteComesBackWhenTheLongestLeaseIsOver() {
        assertThat(new MarkerRules(Duration.ofSeconds(60), false, KeyNames.ROOT).waitFor())
                .isEqualTo(Duration.ofMillis(62_600));
        assertThat(new MarkerRules(Duration.ofMinutes(20), true, KeyNames.ROOT).text())
                .isEqualTo("1200000|1214000|1");
    }
}

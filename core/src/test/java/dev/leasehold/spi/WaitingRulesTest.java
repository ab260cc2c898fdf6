package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stores' own tests count with these rules, so only this test shows what they say. */
class WaitingRulesTest {

    @ParameterizedTest
    @CsvSource({
        "100, 50, 125, 50",
        "120, 50, 125, 60",
        "300, 100, 250, 150",
        "6000, 2000, 5000, 3000",
        "10000, 3333, 8332, 5000",
        "15000, 5000, 12500, 5000",
        "30000, 5000, 12500, 5000",
        "86400000, 5000, 12500, 5000"
    })
    @DisplayName("A waiter asks every third of a lease, lives for two and a half, and has half a lease to confirm")
    void aWaitersTimesAreSharesOfTheLease(long lease, long askEvery, long aliveFor, long claimPeriod) {
        Duration asked = Duration.ofMillis(lease);
        assertThat(WaitingRules.askEvery(asked)).isBetween(millis(askEvery), millis(askEvery + 1));
        assertThat(WaitingRules.aliveFor(asked)).isBetween(millis(aliveFor), millis(aliveFor + 2));
        assertThat(WaitingRules.claimPeriod(asked)).isEqualTo(millis(claimPeriod));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}

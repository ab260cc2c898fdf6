package dev.leasehold.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** These tests are about how often a waiter looks whether it is its turn, where the database does not tell it. */
@Tag("slow")
class WaitPollerTest {

    private static long millis(Duration waited, int place, int share) {
        return Duration.ofNanos(WaitPoller.interval(waited.toNanos(), place, share))
                .toMillis();
    }

    @ParameterizedTest
    @CsvSource({"0, 5", "100, 5", "200, 10", "1000, 50", "2000, 100", "3600000, 100"})
    void theFirstLooksEveryTwentiethOfItsWait(long waited, long expected) {
        assertThat(millis(Duration.ofMillis(waited), 1, 1)).isEqualTo(expected);
    }

    /** All looked as often as the first: a thousand waiters asked a database ten thousand times a second. */
    @ParameterizedTest
    @CsvSource({"1, 100", "2, 200", "5, 500", "10, 1000"})
    void theFurtherBackTheMoreRarelyOneLooks(int place, long expected) {
        assertThat(millis(Duration.ofHours(1), place, 1)).isEqualTo(expected);
    }

    /** One that stood far back would not see in time that all before it have left, and be passed over. */
    @Test
    void eachLooksOnceASecondAtLeast() {
        assertThat(millis(Duration.ofHours(1), 1_000, 1)).isEqualTo(1_000);
    }

    @Test
    void whoMayComeInTogetherLooksAsTheFirstDoes() {
        assertThat(millis(Duration.ofHours(1), 3, 3)).isEqualTo(100);
        assertThat(millis(Duration.ofHours(1), 6, 3)).isEqualTo(200);
        assertThat(millis(Duration.ofHours(1), 500, Integer.MAX_VALUE)).isEqualTo(100);
    }
}

package dev.leasehold.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s",
        "PT0.0000005S, 500 ns",
        "PT0.166S, 166 ms",
        "PT1.25S, 1.25 s",
        "PT10S, 10 s",
        "PT30S, 30 s",
        "PT2M30S, 2 min 30 s",
        "PT1H, 60 min",
        "PT24H, 24 h",
        "P36525D, 36525 days",
        "PT-0.3S, -300 ms",
        "PT-1M, -60 s"
    })
    void itsUnitFitsItsSize(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807, 106751991167300 days", "-9223372036854775808, -9223372036854775808 s"})
    void theLongestThereAreHaveWordsToo(long seconds, String text) {
        assertThat(DurationText.of(Duration.ofSeconds(seconds))).isEqualTo(text);
    }
}

package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @Test
    void readsWhatPeopleWrite() {
        Map.ofEntries(
                        Map.entry("30", Duration.ofSeconds(30)),
                        Map.entry("0", Duration.ZERO),
                        Map.entry("1.5", Duration.ofMillis(1500)),
                        Map.entry("500ms", Duration.ofMillis(500)),
                        Map.entry("10s", Duration.ofSeconds(10)),
                        Map.entry("2m", Duration.ofMinutes(2)),
                        Map.entry("1.5h", Duration.ofMinutes(90)),
                        Map.entry("1d", Duration.ofDays(1)),
                        Map.entry("2 H", Duration.ofHours(2)),
                        Map.entry("PT2M30S", Duration.ofSeconds(150)),
                        Map.entry("p1d", Duration.ofDays(1)),
                        Map.entry("-5", Duration.ofSeconds(-5)),
                        Map.entry("0.0000000001", Duration.ofNanos(1)))
                .forEach((text, duration) ->
                        assertThat(Durations.parse(text)).as(text).isEqualTo(duration));
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999999999999", "1e3d", "PT9999999999999999H", "9999999999999d"})
    void hugeMeansHuge(String text) {
        if (text.contains("e")) {
            assertThatThrownBy(() -> Durations.parse(text)).hasMessageContaining("write a number of seconds");
        } else {
            assertThat(Durations.parse(text)).isEqualTo(Durations.HUGE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "s", "5x", "1ns", "1,5", "five", "5 5", "P", "PT", "0x10", ".5", "5.", "--5", "NaN"})
    void refusesTheRest(String text) {
        assertThatThrownBy(() -> Durations.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write a number of seconds");
    }
}

package dev.leasehold.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class WarmthTest {

    private final Map<String, Samples> contestants = new LinkedHashMap<>();

    private void contestant(String name, double seconds, List<Double> slices, List<Double> turns) {
        Samples samples = new Samples();
        samples.add(Metric.WARM_UP, seconds);
        slices.forEach(each -> samples.add(Metric.WARMING, each));
        turns.forEach(each -> samples.add(Metric.COMPILING, each));
        contestants.put(name, samples);
    }

    @Test
    void aWarmTableSaysHowLongThatTook() {
        contestant("bare", 12, List.of(60.0, 1.0, 1.5, 0.0), List.of(0.0, 1.9));
        contestant("Leasehold", 46, List.of(80.0, 1.0, 1.0, 1.0), List.of(0.0, 3.0));
        assertThat(Warmth.words(contestants))
                .isEqualTo("Warmed up: bare 12 s, Leasehold 46 s. None of them still compiled. ");
    }

    @Test
    void aColdTableSaysWhoStillCompiled() {
        contestant("bare", 12, List.of(60.0, 1.0, 1.5, 0.0), List.of(0.0, 1.9));
        contestant("Leasehold", 90, List.of(80.0, 9.0, 12.0, 6.0), List.of(0.0, 8.4));
        contestant("Redisson", 90, List.of(80.0, 9.0, 0.0, 0.0), List.of(0.0, 0.0));
        assertThat(Warmth.words(contestants))
                .isEqualTo("Warmed up: bare 12 s, Leasehold 90 s, Redisson 90 s. "
                        + "**Still compiling: Leasehold 4.2 % in its turns, 9.0 % at the end of its warm-up; "
                        + "Redisson 0.0 % in its turns, 3.0 % at the end of its warm-up.** ");
    }

    @Test
    void withoutAWarmUpItsTurnsAreLookedAt() {
        contestant("Leasehold", 0, List.of(), List.of(120.0, 80.0));
        assertThat(Warmth.words(contestants))
                .isEqualTo("Warmed up: Leasehold 0 s. **Still compiling: Leasehold 100.0 % in its turns.** ");
    }

    @Test
    void whereNothingIsKnownItSaysSo() {
        contestant("Leasehold", 18, List.of(), List.of());
        assertThat(Warmth.words(contestants)).isEqualTo("Warmed up: Leasehold 18 s. Not known to be warm: Leasehold. ");
    }

    @Test
    void aWorkloadWithoutAWarmUpSaysNothing() {
        contestants.put("Leasehold", new Samples());
        assertThat(Warmth.words(contestants)).isEmpty();
    }
}

package dev.leasehold.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MedianTest {

    private static List<Double> upTo(int n) {
        return DoubleStream.iterate(n, value -> value - 1).limit(n).boxed().toList();
    }

    /** The table of the sign test: with 15 values the interval reaches from the 4th to the 12th, with 20 from the 6th to the 15th. */
    @Test
    void theIntervalIsThatOfTheSignTest() {
        assertThat(Median.of(upTo(15))).isEqualTo(new Median(8, 4, 12));
        assertThat(Median.of(upTo(20))).isEqualTo(new Median(10.5, 6, 15));
        assertThat(Median.of(upTo(6))).isEqualTo(new Median(3.5, 1, 6));
    }

    @Test
    void fewValuesHaveNoInterval() {
        assertThat(Median.of(upTo(5)).value()).isEqualTo(3);
        assertThat(Median.of(upTo(5)).hasInterval()).isFalse();
        assertThat(Median.of(List.of()).value()).isNaN();
    }

    @Test
    void ratiosAreOfTheSameRound() {
        assertThat(Median.ofRatios(List.of(2.0, 10.0, 3.0), List.of(1.0, 5.0, 3.0))
                        .value())
                .isEqualTo(2);
    }
}

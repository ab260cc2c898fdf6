package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.worker.Grant;
import dev.leasehold.benchmarks.worker.Shape;
import dev.leasehold.benchmarks.worker.Turn;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class TurnReadingTest {

    private static final long MILLI = 1_000_000;

    private static Grant grant(long given, long releasing, int process, int thread, boolean writer) {
        return new Grant((given - 2) * MILLI, given * MILLI, releasing * MILLI, process, thread, writer);
    }

    private static Samples read(Shape shape, Grant... grants) {
        Samples samples = new Samples();
        Turn turn = new Turn(List.of(grants), 0, 100 * MILLI, grants.length, 40_000L * grants.length, 800, 3);
        TurnReading.add(turn, shape, 8_000L * grants.length, samples);
        samples.finish();
        return samples;
    }

    @Test
    void countsWhereTheLockWentAndWhatItCost() {
        Samples samples = read(
                Shape.mutex(2, 2, 1),
                grant(10, 11, 0, 0, true),
                grant(12, 13, 0, 0, true),
                grant(14, 15, 0, 1, true),
                grant(18, 19, 1, 1, true), // Another process, though its thread has the same number.
                grant(101, 102, 1, 0, true)); // After the end: its cost counts, its grant does not.
        assertThat(samples.of(Metric.RATE)).containsExactly(40.0);
        assertThat(samples.of(Metric.MOVED_THREAD)).containsExactly(100 * 2 / 3.0);
        assertThat(samples.of(Metric.MOVED_PROCESS)).containsExactly(100 / 3.0);
        assertThat(samples.of(Metric.MOVED_RATE)).containsExactly(10.0);
        assertThat(samples.of(Metric.SPREAD)).containsExactly(100.0);
        assertThat(samples.of(Metric.CLIENT)).containsExactly(40.0);
        assertThat(samples.of(Metric.SERVER)).containsExactly(8.0);
        assertThat(samples.of(Metric.BYTES)).containsExactly(160.0);
        assertThat(samples.of(Metric.COMPILING)).containsExactly(3.0);
        assertThat(samples.handOvers().getMaxValue()).isBetween(3 * MILLI, 3 * MILLI + MILLI / 100);
        assertThat(samples.of(Metric.WAIT_50).get(0)).isBetween(2.0, 2.01);
    }

    @Test
    void countsHoldersAtOneMoment() {
        Samples samples = read(
                Shape.semaphore(2, 2, 2, Duration.ofMillis(3)),
                grant(10, 13, 0, 0, false),
                grant(11, 14, 1, 0, false),
                grant(13, 16, 1, 1, false)); // One is released in the moment in which another one is granted.
        assertThat(samples.of(Metric.AT_ONCE)).containsExactly(2.0);
    }

    @Test
    void tellsWritersFromReaders() {
        Samples samples = read(
                Shape.readers(1, 2, 50, Duration.ZERO),
                new Grant(0, 9 * MILLI, 10 * MILLI, 0, 0, false),
                new Grant(0, 5 * MILLI, 6 * MILLI, 0, 1, true));
        assertThat(samples.of(Metric.READER_MAX)).containsExactly(9.0);
        assertThat(samples.of(Metric.WRITER_MAX).get(0)).isBetween(5.0, 5.01);
    }
}

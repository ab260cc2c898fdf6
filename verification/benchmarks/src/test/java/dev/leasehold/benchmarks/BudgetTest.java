package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BudgetTest {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    /** Four processes each. */
    private static final List<Workload> HAND_OVER = List.of(named("hand-over-redis"));

    private static Workload named(String name) {
        return Catalog.all().stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static double warmUp(String workload, Duration limit) {
        List<Workload> workloads = List.of(named(workload));
        double with = Budget.seconds(new Pace(15, Duration.ofSeconds(1), limit, false), workloads);
        double without = Budget.seconds(new Pace(15, Duration.ofSeconds(1), Duration.ZERO, false), workloads);
        return (with - without) / workloads.get(0).contestants().size();
    }

    @Test
    void theWarmUpCountsMoreForSeveralProcessesUpToItsLimit() {
        assertThat(warmUp("one-thread-redis", LIMIT)).isCloseTo(30, within(1e-6));
        assertThat(warmUp("hand-over-redis", LIMIT)).isCloseTo(60, within(1e-6));
        assertThat(warmUp("hand-over-redis", Duration.ofSeconds(3))).isCloseTo(3, within(1e-6));
    }

    /** Five contestants of four processes: 15 turns, 60 s of warm-up, or 90, each. */
    @Test
    void saysAlsoHowLongItTakesAtMost() {
        Pace pace = new Pace(15, Duration.ofSeconds(1), LIMIT, false);
        assertThat(Budget.words(pace, HAND_OVER)).isEqualTo("7 minutes (9 if the JVMs never stop compiling)");
        assertThat(Budget.mostSeconds(pace, HAND_OVER) - Budget.seconds(pace, HAND_OVER))
                .isCloseTo(5 * 30, within(1e-6));
        Pace none = new Pace(15, Duration.ofSeconds(1), Duration.ZERO, false);
        assertThat(Budget.words(none, HAND_OVER)).isEqualTo("2 minutes");
    }

    @Test
    void turnsGetWhatTheWarmUpLeaves() {
        Pace pace = Budget.within(10, HAND_OVER, 15, LIMIT);
        assertThat(pace.turn()).isBetween(Duration.ofMillis(300), Duration.ofSeconds(5));
        assertThat(Budget.seconds(pace, HAND_OVER)).isCloseTo(600, within(1.0));
    }

    @Test
    void whereNothingIsLeftTurnsAreAsShortAsTheyMayBe() {
        assertThat(Budget.within(-1, HAND_OVER, 15, LIMIT).turn()).isEqualTo(Duration.ofMillis(200));
    }
}

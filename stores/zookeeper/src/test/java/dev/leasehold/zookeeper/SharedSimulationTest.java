package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * These tests make random runs of several clients that share a lock; {@code -Dleasehold.firstSeed=N -Dleasehold.runs=N}
 * chooses others.
 */
@Tag("slow")
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedSimulationTest {

    private static final int RUNS = 400;
    private static final int STEPS = 700;

    static int play(long first, int runs) throws IOException {
        List<ScriptedHandle> handles = new ArrayList<>();
        for (int i = 0; i < SharedSimulation.HANDLES; i++) {
            handles.add(new ScriptedHandle());
        }
        int grants = 0;
        for (long seed = first; seed < first + runs; seed++) {
            SharedSimulation simulation = new SharedSimulation(seed, handles);
            try {
                simulation.run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            grants += simulation.grants();
        }
        return grants;
    }

    @Test
    void neverMoreThanTheSmallestShareAndNoSlotTwice() throws Exception {
        long first = Long.getLong("leasehold.firstSeed", 1);
        int runs = Integer.getInteger("leasehold.runs", RUNS);
        assertThat(play(first, runs)).isGreaterThan(10 * runs);
    }

    @Test
    @Tag("extended")
    @DisplayName("Never more than the smallest share and no slot twice in many runs")
    void noShareIsExceededAndNoSlotGivenTwice() throws Exception {
        assertThat(play(1 + RUNS, 20 * RUNS)).isPositive();
    }
}

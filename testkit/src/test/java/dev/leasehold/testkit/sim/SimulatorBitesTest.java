package dev.leasehold.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every rule is broken once, and every time the simulator has to find it. */
class SimulatorBitesTest {

    /** The rarest need some 2,000 runs; most are found in the first. */
    private static final long MOST_RUNS = 6000;

    @RegisterExtension
    static final EngineLog LOG = new EngineLog();

    @ParameterizedTest
    @EnumSource(SimGuard.class)
    void findsWhatABrokenRuleDoes(SimGuard guard) {
        Optional<SimReport> caught = LongStream.range(1, MOST_RUNS)
                .parallel()
                .mapToObj(seed -> guard.concernsSharing()
                        ? Simulator.runShared(seed, Set.of(guard), null)
                        : Simulator.run(seed, Set.of(guard), null))
                .filter(report -> !report.findings().isEmpty())
                .findAny();
        assertThat(caught).as("a run that shows that " + guard + " is off").isPresent();
        System.out.println(guard + ": " + caught.orElseThrow().findings().get(0));
    }
}

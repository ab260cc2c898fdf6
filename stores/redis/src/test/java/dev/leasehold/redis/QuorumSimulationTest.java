package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** These tests are about the quorum's rules under every fault that the simulation knows. */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class QuorumSimulationTest {

    private static final long USUAL_RUNS = 75;

    /** Thousands of simulated clients log what happens to them. */
    private static final Logger LOG = Logger.getLogger("dev.leasehold");

    @BeforeAll
    static void keepLogsAway() {
        LOG.setUseParentHandlers(false);
    }

    @AfterAll
    static void letLogsThrough() {
        LOG.setUseParentHandlers(true);
    }

    @Test
    void nobodyHoldsTwiceAndTokensIncrease() {
        nothingIsFound(Long.getLong("leasehold.firstSeed", 1), Long.getLong("leasehold.runs", USUAL_RUNS));
    }

    @Test
    void writersExcludeAllAndReadersWriters() {
        nothingIsFound(QuorumScenario.Kind.READERS, 1, Long.getLong("leasehold.runs", USUAL_RUNS));
    }

    @Test
    @Tag("extended")
    void nobodyHoldsTwiceAndTokensIncreaseInAThousandRuns() {
        nothingIsFound(1 + USUAL_RUNS, 1000 - USUAL_RUNS);
    }

    @Test
    @Tag("extended")
    void writersExcludeAllInAThousandRuns() {
        nothingIsFound(QuorumScenario.Kind.READERS, 1 + USUAL_RUNS, 1000 - USUAL_RUNS);
    }

    private static void nothingIsFound(long first, long runs) {
        nothingIsFound(QuorumScenario.Kind.ANY, first, runs);
    }

    private static void nothingIsFound(QuorumScenario.Kind kind, long first, long runs) {
        List<QuorumSimulation.Report> reports = LongStream.range(first, first + runs)
                .parallel()
                .mapToObj(seed -> QuorumSimulation.run(seed, kind, Set.of(), null))
                .toList();
        long grants =
                reports.stream().mapToLong(QuorumSimulation.Report::grants).sum();
        long holds = reports.stream().mapToLong(QuorumSimulation.Report::holds).sum();
        long attempts =
                reports.stream().mapToLong(QuorumSimulation.Report::attempts).sum();
        long reads = reports.stream().mapToLong(QuorumSimulation.Report::reads).sum();
        System.out.printf(
                "quorum: %d runs, %d grants, %d holds, %d of readers, %d attempts%n",
                runs, grants, holds, reads, attempts);
        assertThat(reports).filteredOn(report -> !report.findings().isEmpty()).isEmpty();
    }

    @Test
    void replay() {
        Long seed = Long.getLong("leasehold.seed");
        if (seed != null) {
            QuorumScenario.Kind kind = QuorumScenario.Kind.valueOf(System.getProperty("leasehold.kind", "ANY"));
            System.out.println(QuorumSimulation.run(seed, kind, Set.of(), System.out::println));
        }
    }
}

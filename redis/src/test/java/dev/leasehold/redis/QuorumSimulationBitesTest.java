package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.QuorumSimulation.Kind;
import dev.leasehold.redis.QuorumSimulation.Report;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every rule of the quorum is broken once, and every time the simulation has to find it. */
class QuorumSimulationBitesTest {

    private static final long MOST_RUNS = 2000;

    /** The schedules in which the breach of a rule can be seen. */
    private static Kind kind(QuorumRule rule) {
        return switch (rule) {
            case RELEASE_ON_ALL -> Kind.LOSSY_WITH_LONG_LEASES;
            case BOUND_ON_PROPOSALS -> Kind.CLOCK_AHEAD;
            default -> Kind.ANY;
        };
    }

    @ParameterizedTest
    @EnumSource(QuorumRule.class)
    void findsWhatABrokenRuleDoes(QuorumRule rule) {
        Optional<Report> caught = LongStream.range(1, MOST_RUNS)
                .parallel()
                .mapToObj(seed -> QuorumSimulation.run(seed, kind(rule), Set.of(rule), null))
                .filter(report -> !report.findings().isEmpty())
                .findAny();
        assertThat(caught).as("a run that shows that " + rule + " is off").isPresent();
        String found = caught.orElseThrow().findings().get(0);
        System.out.println(rule + ": " + found);
        assertThat(found)
                .startsWith(rule == QuorumRule.RELEASE_ON_ALL ? "PROGRESS" : found.substring(0, found.indexOf(':')));
    }

    /** The special schedules find nothing where all rules are kept. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"LOSSY_WITH_LONG_LEASES", "CLOCK_AHEAD"})
    void findsNothingWhereAllRulesAreKept(Kind kind) {
        List<Report> reports = LongStream.range(1, 40)
                .parallel()
                .mapToObj(seed -> QuorumSimulation.run(seed, kind, Set.of(), null))
                .toList();
        assertThat(reports).filteredOn(report -> !report.findings().isEmpty()).isEmpty();
        assertThat(reports.stream().mapToLong(Report::grants).sum()).isGreaterThan(100);
    }

    @Test
    void aSeedNamesARun() {
        Report one = QuorumSimulation.run(7, Kind.ANY, Set.of(), null);
        assertThat(QuorumSimulation.run(7, Kind.ANY, Set.of(), null)).isEqualTo(one);
    }
}

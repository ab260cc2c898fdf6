package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.QuorumSimulation.Kind;
import dev.leasehold.redis.QuorumSimulation.Report;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
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

    /** What the breach of a rule does; a run that shows something else has not shown what the rule is for. */
    private static Pattern harm(QuorumRule rule) {
        return Pattern.compile((rule == QuorumRule.RELEASE_ON_ALL ? "PROGRESS" : "(EXCLUSION|TOKENS)") + ": .*");
    }

    @ParameterizedTest
    @EnumSource(QuorumRule.class)
    void findsWhatABrokenRuleDoes(QuorumRule rule) {
        Pattern harm = harm(rule);
        Optional<String> caught = LongStream.range(1, MOST_RUNS)
                .parallel()
                .mapToObj(seed -> QuorumSimulation.run(seed, kind(rule), Set.of(rule), null))
                .flatMap(report -> report.findings().stream())
                .filter(found -> harm.matcher(found).matches())
                .findAny();
        assertThat(caught)
                .as("a run that shows what happens when " + rule + " is off")
                .isPresent();
        System.out.println(rule + ": " + caught.orElseThrow());
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

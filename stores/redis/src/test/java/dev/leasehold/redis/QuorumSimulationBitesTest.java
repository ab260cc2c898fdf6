package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.QuorumScenario.Kind;
import dev.leasehold.redis.QuorumSimulation.Report;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every rule of the quorum is broken once, and every time the simulation has to find it. */
@Tag("slow")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class QuorumSimulationBitesTest {

    private static final long MOST_RUNS = 2000;

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

    /** The schedules in which the breach of a rule can be seen. */
    private static Kind kind(QuorumRule rule) {
        return switch (rule) {
            case RELEASE_ON_ALL -> Kind.LOSSY_WITH_LONG_LEASES;
            case BOUND_ON_PROPOSALS -> Kind.CLOCK_AHEAD;
            case TRUST_EXCUSES_RESTARTS_ONLY -> Kind.TRUSTED;
            case MARKER_NAMES_ITS_HISTORY -> Kind.COPIED;
            case RUN_ID_READ_BY_SCRIPT -> Kind.RESTARTED;
            case READERS_BESIDE_READERS_ONLY,
                    WRITER_ALONE,
                    GATE_GRANTS_WHO_FITS,
                    RAISE_ABOVE_LAST,
                    AN_END_OF_ITS_OWN,
                    RELEASE_CONCERNS_ONE,
                    TAKE_BACK_ITS_OWN,
                    READERS_LEAVE_A_TRACE,
                    RENEWALS_CARRY_THE_SHARE -> Kind.READERS;
            default -> Kind.ANY;
        };
    }

    /**
     * Returns the harm that the breach of a rule does; a run that shows another harm does not show what the rule is for.
     */
    private static Pattern harm(QuorumRule rule) {
        return Pattern.compile((rule == QuorumRule.RELEASE_ON_ALL ? "PROGRESS" : "(EXCLUSION|TOKENS)") + ": .*");
    }

    /**
     * A run that showed it when it was last looked for. It is tried first, which saves minutes of looking; after a change of
     * the protocol or of the simulation it may show nothing, and the one that is found then can be written here.
     */
    private static long shown(QuorumRule rule) {
        return switch (rule) {
            case NEW_ATTEMPT_NAME,
                    BOUND_ON_PROPOSALS,
                    READERS_BESIDE_READERS_ONLY,
                    WRITER_ALONE,
                    GATE_GRANTS_WHO_FITS,
                    RENEWALS_CARRY_THE_SHARE -> 1;
            case MARKER_NAMES_ITS_HISTORY -> 1252;
            case RUN_ID_READ_BY_SCRIPT -> 502;
            case TAKE_BACK_NO_GRANT, RELEASE_CONCERNS_ONE -> 500;
            case READERS_LEAVE_A_TRACE -> 1258;
            case TAKE_BACK_ITS_OWN -> 502;
            case AN_END_OF_ITS_OWN -> 1255;
            case RAISE_ABOVE_LAST -> 1258;
            // A matter of progress: ReaderLoadTest.
            case REFUSED_WRITER_SHUTS_READERS_OUT, BUSY_GATE_FAILS_READERS -> 0;
            // One of two rules that keep the same: QuorumReadersTest.
            case READERS_TOP_UP_ABOVE_EXCLUSIVE -> 0;
            case ACCEPT_ABOVE_LAST, RELEASE_ON_ALL -> 501;
            case RAISE_NEVER_LOWER -> 1260;
            case TRUST_EXCUSES_RESTARTS_ONLY -> 508;
            case NEVER_SHORTEN -> 546;
            case DEADLINE_FROM_SENDING -> 587;
            case MARKER -> 1252;
            case MARKER_AGE -> 1253;
            case GATES_GRANT_IS_NO_VOTE -> 1260;
        };
    }

    /** A run and what it has shown. */
    private record Harm(long seed, String what) {}

    private static Stream<Harm> harms(QuorumRule rule, long seed) {
        Pattern harm = harm(rule);
        return QuorumSimulation.run(seed, kind(rule), Set.of(rule), null).findings().stream()
                .filter(found -> harm.matcher(found).matches())
                .map(found -> new Harm(seed, found));
    }

    @ParameterizedTest
    @EnumSource(
            value = QuorumRule.class,
            names = {"REFUSED_WRITER_SHUTS_READERS_OUT", "BUSY_GATE_FAILS_READERS", "READERS_TOP_UP_ABOVE_EXCLUSIVE"},
            mode = EnumSource.Mode.EXCLUDE)
    void findsWhatABrokenRuleDoes(QuorumRule rule) {
        Optional<Harm> caught = harms(rule, shown(rule))
                .findAny()
                .or(() -> LongStream.range(1, MOST_RUNS)
                        .parallel()
                        .boxed()
                        .flatMap(seed -> harms(rule, seed))
                        .findAny());
        assertThat(caught)
                .as("a run that shows what happens when " + rule + " is off")
                .isPresent();
        Harm harm = caught.orElseThrow();
        System.out.println(rule + (harm.seed() == shown(rule) ? ": " : ": TO BE NOTED: ") + harm);
        assertThat(QuorumSimulation.run(harm.seed(), kind(rule), Set.of(), null).findings())
                .as("what the same run shows with the rule")
                .isEmpty();
    }

    /** The special schedules find nothing where all rules are kept. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"LOSSY_WITH_LONG_LEASES", "CLOCK_AHEAD", "TRUSTED", "COPIED", "RESTARTED", "READERS"})
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

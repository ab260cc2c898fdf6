package dev.leasehold.simulator;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * These tests run the real client, thousands of times over: {@code -Dleasehold.runs=N} for more or fewer runs than usual,
 * {@code -Dleasehold.firstSeed=N} for others. A run that has gone wrong is described with the command that replays it.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class SimulatorTest {

    private static final int MOST_DESCRIBED = 5;
    private static final long USUAL_RUNS = 250;
    private static final long USUAL_SHARED_RUNS = 75;
    private static final long USUAL_WHOLE_RUNS = 50;

    @RegisterExtension
    static final EngineLog LOG = new EngineLog();

    /** The runs that several tests look at; a seed is always the same run, as one of them shows. */
    private static final Map<Long, SimReport> RUNS = new ConcurrentHashMap<>();

    private static final Map<Long, SimReport> SHARED_RUNS = new ConcurrentHashMap<>();
    private static final Map<Long, SimReport> WHOLE_RUNS = new ConcurrentHashMap<>();

    private static SimReport run(long seed) {
        return seed > USUAL_RUNS ? Simulator.run(seed) : RUNS.computeIfAbsent(seed, Simulator::run);
    }

    @Test
    void keepsItsPromisesInHundredsOfRuns() {
        keepsItsPromises(Long.getLong("leasehold.firstSeed", 1), Long.getLong("leasehold.runs", USUAL_RUNS));
    }

    @Test
    @Tag("extended")
    void keepsItsPromisesInThousandsOfRuns() {
        keepsItsPromises(1 + USUAL_RUNS, 4000);
    }

    @Test
    void keepsItsPromisesWithSharedLocks() {
        keepsItsPromises(
                Long.getLong("leasehold.firstSeed", 1),
                Long.getLong("leasehold.runs", USUAL_SHARED_RUNS),
                SimulatorTest::shared);
    }

    @Test
    @Tag("extended")
    void keepsItsPromisesWithSharedLocksForLong() {
        keepsItsPromises(1 + USUAL_SHARED_RUNS, 4000, SimulatorTest::shared);
    }

    private static SimReport shared(long seed) {
        return seed > USUAL_SHARED_RUNS
                ? Simulator.run(seed, SimKind.SHARED, Set.of(), null)
                : SHARED_RUNS.computeIfAbsent(seed, each -> Simulator.run(each, SimKind.SHARED, Set.of(), null));
    }

    @Test
    void keepsItsPromisesOnTheWhole() {
        keepsItsPromises(
                Long.getLong("leasehold.firstSeed", 1),
                Long.getLong("leasehold.runs", USUAL_WHOLE_RUNS),
                SimulatorTest::whole);
    }

    @Test
    @Tag("extended")
    void keepsItsPromisesOnTheWholeForLong() {
        keepsItsPromises(1 + USUAL_WHOLE_RUNS, 4000, SimulatorTest::whole);
    }

    private static SimReport whole(long seed) {
        return seed > USUAL_WHOLE_RUNS
                ? Simulator.run(seed, SimKind.WHOLE, Set.of(), null)
                : WHOLE_RUNS.computeIfAbsent(seed, each -> Simulator.run(each, SimKind.WHOLE, Set.of(), null));
    }

    private static void keepsItsPromises(long first, long runs) {
        keepsItsPromises(first, runs, SimulatorTest::run);
    }

    private static void keepsItsPromises(long first, long runs, LongFunction<SimReport> run) {
        long began = System.nanoTime();
        List<SimReport> reports =
                LongStream.range(first, first + runs).parallel().mapToObj(run).toList();
        System.out.printf(
                "Simulator: %,d runs, %,d grants, %,d holds, %,d events in %.1f s%n",
                runs,
                reports.stream().mapToLong(SimReport::granted).sum(),
                reports.stream().mapToLong(SimReport::held).sum(),
                reports.stream().mapToLong(SimReport::events).sum(),
                (System.nanoTime() - began) / 1e9);
        List<SimReport> wrong =
                reports.stream().filter(report -> !report.findings().isEmpty()).toList();
        assertThat(wrong)
                .as(() -> wrong.size() + " of " + runs + " runs went wrong:\n"
                        + wrong.stream()
                                .limit(MOST_DESCRIBED)
                                .map(SimReport::describe)
                                .collect(joining("\n")))
                .isEmpty();
        assertThat(LOG.faults()).as("faults that the engine itself has logged").isEmpty();
    }

    @Test
    void theSameSeedIsTheSameRun() {
        List<SimReport> once = LongStream.range(1, 30).mapToObj(Simulator::run).toList();
        List<SimReport> again =
                LongStream.range(1, 30).parallel().mapToObj(Simulator::run).toList();
        assertThat(again).isEqualTo(once);
    }

    /** A simulator in which something never happens would prove nothing about it. */
    @Test
    void everythingHappens() {
        Map<String, Long> seen = new TreeMap<>();
        LongStream.rangeClosed(1, USUAL_RUNS)
                .parallel()
                .mapToObj(SimulatorTest::run)
                .toList()
                .forEach(report -> report.seen().forEach((what, times) -> seen.merge(what, times, Long::sum)));
        assertThat(seen)
                .containsKeys(
                        "gets",
                        "gets by local hand-over",
                        "is told busy",
                        "cancels",
                        "fails",
                        "extends",
                        "forgets",
                        "releases",
                        "releases what it has not",
                        "is told HELD",
                        "is told AT_RISK",
                        "is told UNCONFIRMED",
                        "is told LOST",
                        "is told RELEASED",
                        "stops",
                        "goes on",
                        "is suspended",
                        "crashes",
                        "closes",
                        "starves its executor",
                        "is cut off",
                        "is down",
                        "is back",
                        "is back, empty",
                        "is flushed",
                        "refuses",
                        "breaks a lease",
                        "is pushed a usable grant",
                        "is pushed a reason to ask",
                        "gives up waiting for an answer");
        System.out.println("Simulator: in " + USUAL_RUNS + " runs " + seen);
    }

    @Test
    void everythingHappensWithSharedLocks() {
        Map<String, Long> seen = new TreeMap<>();
        LongStream.rangeClosed(1, USUAL_SHARED_RUNS)
                .parallel()
                .mapToObj(SimulatorTest::shared)
                .toList()
                .forEach(report -> report.seen().forEach((what, times) -> seen.merge(what, times, Long::sum)));
        assertThat(seen)
                .containsKeys("downgrades", "accepts", "refuses", "crashes", "is told LOST", "is flushed", "closes");
    }

    @Test
    void everythingHappensOnTheWhole() {
        Map<String, Long> seen = new TreeMap<>();
        LongStream.rangeClosed(1, USUAL_WHOLE_RUNS)
                .parallel()
                .mapToObj(SimulatorTest::whole)
                .toList()
                .forEach(report -> report.seen().forEach((what, times) -> seen.merge(what, times, Long::sum)));
        assertThat(seen)
                .containsKeys(
                        "stands",
                        "is elected",
                        "is demoted",
                        "resigns",
                        "has released the office",
                        "stands no longer",
                        "asks for a set",
                        "gets a set",
                        "is told that a set is busy",
                        "cancels a set",
                        "fails to get a set",
                        "releases a set",
                        "closes",
                        "downgrades");
    }

    @Test
    @EnabledIfSystemProperty(named = "leasehold.seed", matches = "-?[0-9]+")
    void replay() {
        List<String> trace = new ArrayList<>();
        boolean traced = Boolean.getBoolean("leasehold.trace");
        String off = System.getProperty("leasehold.off", "");
        long seed = Long.getLong("leasehold.seed");
        Set<SimGuard> guards = off.isEmpty() ? Set.of() : Set.of(SimGuard.valueOf(off));
        SimKind kind = SimKind.valueOf(System.getProperty("leasehold.kind", "LOCKS"));
        SimReport report = Simulator.run(seed, kind, guards, traced ? trace::add : null);
        trace.forEach(System.out::println);
        System.out.println(report.describe());
        assertThat(report.findings()).isEmpty();
    }
}

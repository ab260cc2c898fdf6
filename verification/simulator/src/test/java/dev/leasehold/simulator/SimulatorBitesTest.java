package dev.leasehold.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every rule is broken once, and every time the simulator has to find it. */
@Tag("slow")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class SimulatorBitesTest {

    /** The rarest need some 2,000 runs; most are found in the first. */
    private static final long MOST_RUNS = 6000;

    @RegisterExtension
    static final EngineLog LOG = new EngineLog();

    /**
     * A run that showed it when it was last looked for, where it is not among the first. It is tried first, which saves minutes of
     * looking; after a change it may show nothing, and the one that is found then can be written here.
     */
    private static long shown(SimGuard guard) {
        return switch (guard) {
            case KEPT_FOR_AS_LONG -> 1500;
            case LAST_TOKEN_KEPT, RUN_RESERVED, FENCE_REFUSES_WRITERS_BELOW_NEWEST -> 1501;
            case KEPT_COUNTS, RENEW_NEVER_SHORTENS -> 1502;
            case WITHDRAWAL_ENDS_LEASE -> 1504;
            case LOSS_ANSWERED -> 1505;
            case RENEW_NEVER_REVIVES -> 1514;
            case PUSHED_GRANT_FROM_STAMP -> 1527;
            case RELEASE_COMPARES_TOKEN -> 1619;
            case SHARE_IS_ONLY_LOOSENED -> 1629;
            case WITHDRAWN_WAITER_HANDS_OVER, FENCE_READER_RAISES_NEWEST, TIMERS_FIRE -> 3750;
            case CLOCKS_WITHIN_ONE_PER_CENT -> 3753;
            case DEAD_WAITERS_PASSED_OVER -> 3758;
            case SUSPENSION_SHOWS -> 3762;
            case CLAIM_NEVER_SHORTENS -> 4347;
            default -> 1;
        };
    }

    private static SimReport run(SimGuard guard, long seed) {
        return run(guard, seed, Set.of(guard));
    }

    private static SimReport run(SimGuard guard, long seed, Set<SimGuard> broken) {
        return Simulator.run(seed, guard.concernsSharing() ? SimKind.SHARED : SimKind.LOCKS, broken, null);
    }

    @ParameterizedTest
    @EnumSource(SimGuard.class)
    void findsWhatABrokenRuleDoes(SimGuard guard) {
        SimReport noted = run(guard, shown(guard));
        Optional<SimReport> caught = noted.findings().isEmpty()
                ? LongStream.range(1, MOST_RUNS)
                        .parallel()
                        .mapToObj(seed -> run(guard, seed))
                        .filter(report -> !report.findings().isEmpty())
                        .findAny()
                : Optional.of(noted);
        assertThat(caught).as("a run that shows that " + guard + " is off").isPresent();
        SimReport report = caught.orElseThrow();
        System.out.println(guard + (report == noted ? ": " : ": TO BE NOTED: ") + report.seed() + ": "
                + report.findings().get(0));
        assertThat(run(guard, report.seed(), Set.of()).findings())
                .as("what the same run shows with nothing broken")
                .isEmpty();
    }
}

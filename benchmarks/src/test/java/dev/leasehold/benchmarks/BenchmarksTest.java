package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every benchmark runs, for a short time, and finds something plausible. How fast anything is, no test says. */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("extended")
class BenchmarksTest {

    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

    @Test
    void oneThreadWithoutContention() throws Exception {
        List<Uncontended.Result> results = new Uncontended(NOWHERE, 3, Duration.ofMillis(50)).run(Peer.ALL);
        Uncontended.print(NOWHERE, results);
        assertThat(results)
                .hasSize(5)
                .allSatisfy(result -> assertThat(result.rate()).isPositive());
        assertThat(results.get(0).ratio()).isEqualTo(1, within(1e-9));
        assertThat(results.get(1).name()).isEqualTo("Leasehold");
        assertThat(results.get(1).work().commands()).isEqualTo(2, within(0.05));
        assertThat(results.get(1).work().executions()).isLessThan(10.05);
        assertThat(results.get(4).name()).isEqualTo("Redisson");
        assertThat(results.get(4).work().executions()).isGreaterThan(10);
    }

    @Test
    void aQuorumOfFiveWithoutContention() throws Exception {
        List<Uncontended.Result> results = new Uncontended(NOWHERE, 3, Duration.ofMillis(50)).runQuorum();
        Uncontended.print(NOWHERE, results);
        assertThat(results)
                .hasSize(5)
                .allSatisfy(result -> assertThat(result.rate()).isPositive());
        assertThat(results.get(1).name()).isEqualTo("Leasehold, 5 masters");
        // On a busy machine an answer may come too late, and costs another ballot.
        assertThat(results.get(1).work().commands()).isEqualTo(2, within(0.3));
    }

    @Test
    void aQuorumWithASlowNodeAndWithoutSome() throws Exception {
        SlowNode.Result result = new SlowNode(NOWHERE, 1, 20).run();
        result.print(NOWHERE);
        assertThat(result.oneSlow().getTotalCount()).isEqualTo(20);
        assertThat(result.twoDown().getTotalCount()).isEqualTo(20);
        assertThat(result.message()).contains("no majority");
    }

    @Test
    void handOverBetweenProcesses() throws Exception {
        List<HandOver.Result> results = new HandOver(NOWHERE, 1, Duration.ofSeconds(1)).run(Contender.KINDS, 2);
        HandOver.print(NOWHERE, results);
        assertThat(results).hasSize(5);
        assertThat(results.subList(0, 2)).allSatisfy(result -> {
            assertThat(result.grants()).isPositive();
            assertThat(result.moved()).isGreaterThan(0.5 * result.grants());
            assertThat(result.waits().getTotalCount()).isPositive();
        });
    }

    /** Held at the size that is promised; with so many, each shard has thousands of renewals a second. */
    @Test
    void twentyThousandLeasesWhileOneMasterHangs() throws Exception {
        ManyLeases.Report report = new ManyLeases(
                        NOWHERE, 20_000, Duration.ofSeconds(9), Duration.ofSeconds(4), Duration.ofSeconds(10))
                .run();
        report.print(NOWHERE);
        assertThat(report.onHung()).isBetween(5_000, 8_000);
        assertThat(report.healthyAtRisk()).isZero();
        assertThat(report.kept()).isEqualTo(report.count() - report.onHung());
        assertThat(report.hungLostInTime()).isEqualTo(report.onHung());
        assertThat(report.regained()).isEqualTo(report.onHung());
    }
}

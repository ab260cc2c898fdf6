package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests show the guard where {@code sh} is this shell or that. */
class GuardShellsTest extends GuardHarness {

    /** It survives the SIGTERM that its parent dies of, without the mark. Ends with the test at the latest. */
    private static final String WITH_ORPHAN =
            "env -i sh -c 'trap : TERM; echo $$ >\"$1/child\"; for i in $(seq 600); do sleep 0.05; done' sh \"$1\"; :";

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void silenceMeansThatTheDeadlineStands(List<String> shell) throws Exception {
        startIn(shell, GRACE);
        Process command = readyCommand(STUBBORN);
        EndTimes times = in(50, 100);
        guard.watch(times);
        hearBoth("armed", "term");
        long term = BootClock.now();
        hear("dead");
        long dead = BootClock.now();

        assertThat(term).isGreaterThanOrEqualTo(times.termAt());
        assertThat(dead).isGreaterThanOrEqualTo(times.killAt());
        assertThat(command.waitFor()).isEqualTo(137);
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void renewalsThenTheEndOfThePipe(List<String> shell) throws Exception {
        startIn(shell, Duration.ofSeconds(1));
        arm();
        Process command = command(null, WITH_ORPHAN);
        guard.watch(command.pid());
        long child = Long.parseLong(Processes.awaitLine(dir.resolve("child")));
        hear("armed");
        arm();
        guard.sync();
        hear("synced");
        guard.endCommand();
        hear("term", "dead");

        assertThat(command.waitFor()).isEqualTo(143);
        assertThat(Processes.isRunning(child)).isFalse();
    }

    /** The timer has begun: neither a renewal nor the end of the pipe takes its place. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void theTimerOutlivesTheWrapper(List<String> shell) throws Exception {
        startIn(shell, GRACE);
        Process command = readyCommand(STUBBORN);
        guard.watch(in(0, 300));
        hearBoth("armed", "term");
        guard.watch(in(30_000, 31_000));
        hear("armed");
        guard.endCommand();
        hear("dead");

        assertThat(command.waitFor()).isEqualTo(137);
    }

    /** Bash ended where one came in the middle of a substitution, which it called unfinished: the command had a second TERM. */
    @Test
    void noSignalIsTrapped() {
        assertThat(Guard.script("guard.sh").lines().map(String::strip).filter(line -> line.matches("[^#]*\\btrap .*")))
                .singleElement()
                .asString()
                .startsWith("trap '' ");
    }

    /** As busybox has it, which perhaps knows no -z either: the guard found no command by its mark, and said "dead" while it ran. */
    @Test
    void aGrepMayStopAtANul() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v strings").start().waitFor() == 0);
        startAnew(
                GRACE,
                ":",
                "case $1 in -*z*) exit 2 ;; -l*) exit 1 ;; esac\n"
                        + "if [ $# -lt 3 ]; then tr '\\n\\0' '\\1\\n' | head -n 1 | tr '\\1' '\\n' | /bin/grep \"$@\"; exit; fi");
        Process command = readyCommand(STUBBORN);
        guard.watch(in(50, 100));
        hearBoth("armed", "term");
        hear("dead");

        assertThat(command.waitFor()).isEqualTo(137);
    }
}

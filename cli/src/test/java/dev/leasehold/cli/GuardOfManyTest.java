package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests are about commands with many descendants: to look for all of them takes long. */
class GuardOfManyTest extends GuardHarness {

    private static final String MANY =
            "trap '' TERM; for i in $(seq 100); do sleep 300 & done; echo >\"$1/ready\"; wait";

    /**
     * The walk through 1,200 descendants went on for 16 s after the lease, and no signal was sent before its end. (A busybox may take
     * its own grep, which is not busy.)
     */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void noSignalWaitsForALookThatIsUnderWay(List<String> shell) throws Exception {
        Path busy = dir.resolve("busy");
        startAnew(GRACE, "while [ -e " + busy + " ]; do sleep 0.05; done");
        startIn(shell, GRACE);
        Process command = readyCommand(MANY);
        List<Long> descendants = command.descendants().map(ProcessHandle::pid).toList();
        guard.watch(in(30_000, 31_000));
        guard.watch(command.pid());
        arm();
        hear("armed", "armed");
        Files.createFile(busy);
        guard.endCommand();
        hear("term");

        await().until(() -> descendants.stream().noneMatch(Processes::isRunning));
        assertThat(said).isEmpty();
        assertThat(command.waitFor()).isEqualTo(137);
        Files.delete(busy);
        hear("dead");
    }

    @Test
    void allOfThemAreFoundWhateverTheirNames() throws Exception {
        Process command = command(
                null,
                "cp /bin/sleep \"$1/a) Z 1 1 (b\"; cp /bin/sleep \"$1/c\n9 (d) S 1\";"
                        + " for i in $(seq 60); do env -i \"$1/a) Z 1 1 (b\" 300 & env -i \"$1/c\n9 (d) S 1\" 300 & done;"
                        + " echo >\"$1/ready\"; wait");
        await().until(() -> Files.exists(dir.resolve("ready")));
        await().until(() -> command.descendants().count() == 120);
        List<Long> descendants = command.descendants().map(ProcessHandle::pid).toList();
        arm();
        guard.watch(command.pid());
        guard.endCommand();
        hear("armed", "term", "dead");

        assertThat(descendants).noneMatch(Processes::isRunning);
    }

    /** A machine that had no process left to look with was taken for one where the command had ended. */
    @Test
    void aLookThatFailsDoesNotCallTheCommandDead() throws Exception {
        Path failing = Files.createFile(dir.resolve("failing"));
        Path failed = dir.resolve("failed");
        startAnew(GRACE, "if [ -e " + failing + " ]; then echo >>" + failed + "; exit 254; fi");
        arm();
        Process command = readyCommand(STUBBORN);
        guard.endCommand();
        hear("term");
        // More than one round of looks has failed.
        await().until(() -> Files.exists(failed) && Files.size(failed) > 20);

        assertThat(said).isEmpty();
        assertThat(command.isAlive()).isTrue();
        Files.delete(failing);
        hear("dead");
        assertThat(command.waitFor()).isEqualTo(137);
    }
}

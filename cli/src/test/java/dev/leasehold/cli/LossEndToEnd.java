package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static dev.leasehold.cli.Processes.contents;
import static dev.leasehold.cli.Processes.isRunning;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.testkit.ProcessStop;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about {@code leasehold run} when the lock is lost, and the other commands, which have a hand in that. */
class LossEndToEnd {

    /** Ignores SIGTERM, writes the time again and again, and has a child that has left the tree of processes. */
    private static final String STUBBORN =
            "trap '' TERM; setsid sh -c 'echo $$ >detached; exec sleep 300' & echo $$ >pid; "
                    + "while :; do cut -d' ' -f1 /proc/uptime >>alive; sleep 0.01; done";

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    private long pid(String file) {
        return Long.parseLong(awaitLine(dir.resolve(file)));
    }

    private double lastSignOfLife() {
        List<String> lines = contents(dir.resolve("alive")).lines().toList();
        return Double.parseDouble(lines.get(lines.size() - 1));
    }

    @Test
    @DisplayName("The command of a stopped wrapper has ended before its successor begins")
    void aStoppedWrappersCommandEndsBeforeTheNext() throws Exception {
        Program.Run stopped = leasehold.start("run", "--lease", "15", "demo", "sh", "-c", STUBBORN);
        long command = pid("pid");
        long detached = pid("detached");
        Program.Run successor = leasehold.start("run", "demo", "cut", "-d ", "-f1", "/proc/uptime");
        await().until(() -> leasehold.here("show", "--json", "demo").out().contains("\"place\":1"));
        ProcessStop.betweenTransactions(stopped.process().pid(), leasehold.store(), "demo");

        double begin = Double.parseDouble(successor.succeeded().out().strip());
        assertThat(isRunning(command)).isFalse();
        assertThat(isRunning(detached)).isFalse();
        assertThat(lastSignOfLife()).isLessThan(begin);
        stopped.signal("CONT");
        assertThat(stopped.status()).as(stopped.err()).isEqualTo(79);
        // One of these is awake first: the guard with the deadline, the store's answer, or the end of the command.
        assertThat(stopped.err())
                .containsPattern(
                        "(could not be renewed in time|is lost); ending the command|was lost; the command has ended");
    }

    @Test
    @DisplayName("The command of a killed wrapper has ended before its successor begins")
    void aKilledWrappersCommandEndsBeforeTheNext() throws Exception {
        Program.Run killed = leasehold.start("run", "--lease", "15", "demo", "sh", "-c", STUBBORN);
        long command = pid("pid");
        long detached = pid("detached");
        assertThat(Processes.guardsIn(dir)).isNotEmpty();
        killed.signal("KILL");

        double begin = Double.parseDouble(leasehold
                .run("run", "demo", "cut", "-d ", "-f1", "/proc/uptime")
                .succeeded()
                .out()
                .strip());
        assertThat(isRunning(command)).isFalse();
        assertThat(isRunning(detached)).isFalse();
        assertThat(lastSignOfLife()).isLessThan(begin);
        await().until(() -> Processes.guardsIn(dir).isEmpty());
    }

    @Test
    void aKilledWrappersCommandGetsTermFirst() throws Exception {
        Program.Run killed = leasehold.start(
                "run",
                "--lease",
                "30",
                "demo",
                "sh",
                "-c",
                "trap 'echo bye >bye; exit' TERM; echo $$ >pid; while :; do sleep 0.05; done");
        long command = pid("pid");
        killed.signal("KILL");

        assertThat(awaitLine(dir.resolve("bye"))).isEqualTo("bye");
        await().until(() -> !isRunning(command));
    }

    @Test
    void theWrapperEndsTheCommandIfTheGuardDies() throws Exception {
        Program.Run run = leasehold.start("run", "--grace", "300ms", "demo", "sh", "-c", STUBBORN);
        long command = pid("pid");
        long detached = pid("detached");
        Processes.killGuardsOf(run.process().toHandle());

        assertThat(run.status()).isEqualTo(70);
        assertThat(run.err()).isEqualTo("leasehold: the guard process has died; ending the command\n");
        assertThat(isRunning(command)).isFalse();
        assertThat(isRunning(detached)).isFalse();
        assertThat(leasehold.here("show", "demo").status())
                .as("nobody holds it")
                .isEqualTo(1);
    }

    @Test
    void maxHoldEndsTheCommand() throws Exception {
        Program.Run run = leasehold.start("run", "--lease", "8", "--max-hold", "10", "demo", "sleep", "300");

        run.failed(79, "has been held for --max-hold; ending the command");
    }

    @Test
    void maxHoldEndsTheCommandAlsoIfTheLeaseWouldBeLonger() throws Exception {
        Program.Run run = leasehold.start("run", "--lease", "600", "--max-hold", "8", "demo", "sleep", "300");

        run.failed(79, "ending the command");
    }

    @Test
    void aBrokenLocksHolderIsToldAndItsSuccessorIsSpared() throws Exception {
        Program.Run holder = leasehold.start("run", "--lease", "20", "demo", "sh", "-c", "echo held; exec sleep 300");
        awaitLine(holder.outFile());
        String shown = leasehold.here("show", "demo").succeeded().out();
        String json = leasehold.here("ls", "--json", "d*").succeeded().out();

        assertThat(shown.lines()).hasSize(2);
        assertThat(shown)
                .contains(
                        "sh -c echo held; exec sleep 300", "" + holder.process().pid());
        assertThat(json).contains("\"pid\":" + holder.process().pid(), "\"name\":\"demo\"");
        assertThat(leasehold.here("ls", "x*").out().lines()).hasSize(1);
        leasehold.here("break", "--yes", "other").failed(1, "nobody holds the lock 'other'");
        assertThat(leasehold.here("break", "--yes", "demo").succeeded().err()).contains("is broken");
        assertThat(holder.status()).isEqualTo(79);
        assertThat(holder.err()).contains("the lock 'demo' is lost; ending the command");
        assertThat(leasehold.here("show", "demo").out()).contains("Nobody holds the lock 'demo'");
    }

    @Test
    void breakAsksFirst() throws Exception {
        leasehold.hold("demo");
        ProcessBuilder builder = new ProcessBuilder(
                        "setsid",
                        "sh",
                        "-c",
                        "exec \"$@\"",
                        "sh",
                        System.getProperty("build.root") + "/leasehold",
                        "break",
                        "--store",
                        leasehold.store(),
                        "demo")
                .redirectErrorStream(true);
        builder.environment().put("LEASEHOLD_BUILD", "never");
        Process withoutTerminal = builder.start();
        String said = new String(withoutTerminal.getInputStream().readAllBytes());

        assertThat(withoutTerminal.waitFor()).isEqualTo(64);
        assertThat(said).contains("add --yes").contains("the test");
        leasehold.here("show", "demo").succeeded();
    }

    @Test
    void onLossIgnoreLetsTheCommandGoOn() throws Exception {
        Program.Run holder = leasehold.start(
                "run",
                "--on-loss",
                "ignore",
                "--lease",
                "20",
                "demo",
                "sh",
                "-c",
                "echo held; while ! [ -e stop ]; do sleep 0.05; done; exit 5");
        awaitLine(holder.outFile());
        leasehold.here("break", "--yes", "demo").succeeded();

        assertThat(awaitLine(holder.errFile())).contains("the command goes on, as --on-loss ignore says");
        assertThat(holder.process().isAlive()).isTrue();
        java.nio.file.Files.createFile(dir.resolve("stop"));
        assertThat(holder.status()).isEqualTo(5);
    }
}

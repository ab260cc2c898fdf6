package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static dev.leasehold.cli.Processes.awaitLine;
import static dev.leasehold.cli.Processes.isRunning;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A command starts another process, and ends before that one. */
class DaemonEndToEnd {

    private static final String DAEMON = "sh -c 'echo $$ >daemon; exec sleep 300' & ";

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    private long daemon = -1;

    private long daemon() {
        daemon = Long.parseLong(awaitLine(dir.resolve("daemon")));
        return daemon;
    }

    @AfterEach
    void end() throws Exception {
        if (daemon != -1) {
            Processes.reaches("KILL", daemon);
        }
    }

    /** It has the streams of the command, and the mark by which the guard knows those whom it ends at a loss. */
    @ParameterizedTest
    @ValueSource(strings = {"", "setsid ", "nohup "})
    void whatACommandLeavesBehindIsNeitherWaitedForNorEnded(String starter) throws Exception {
        String command = starter + DAEMON + "until [ -s daemon ]; do sleep 0.05; done; echo done; exit 3";
        Program.Run run = leasehold.run("run", "demo", "sh", "-c", command);

        assertThat(run.status()).as(run.err()).isEqualTo(3);
        assertThat(run.out()).isEqualTo("done\n");
        assertThat(leasehold.here("show", "demo").status())
                .as("nobody holds it")
                .isEqualTo(1);
        await().until(() -> Processes.guardsIn(dir).isEmpty());
        assertThat(isRunning(daemon())).isTrue();
    }

    /** Its parent has ended by then, so that only the mark leads to it. */
    @Test
    void itEndsWithACommandThatLosesTheLock() throws Exception {
        String command = "(setsid " + DAEMON + "); exec sleep 300";
        Program.Run run = leasehold.start("run", "demo", "sh", "-c", command);
        long left = daemon();
        leasehold.here("break", "--yes", "demo").succeeded();

        assertThat(run.status()).as(run.err()).isEqualTo(79);
        await().until(() -> !isRunning(left));
    }
}

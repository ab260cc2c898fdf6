package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.await;
import static dev.leasehold.cli.Processes.isRunning;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests show what is found of a command when there is no guard. */
class ProcessTreeTest {

    @TempDir
    Path dir;

    @Test
    @DisplayName("A process that was found once is killed also when its parent has died of the SIGTERM")
    void whatWasFoundOnceIsKilledThoughItsParentDied() throws Exception {
        String script =
                "env -i sh -c 'trap : TERM; echo $$ >\"$1/child\"; for i in $(seq 600); do sleep 0.05; done' sh \"$1\"; :";
        Process command = new Command(List.of("sh", "-c", script, "sh", dir.toString()))
                .start("demo", 1, OptionalInt.empty(), "mark-7", null);
        long child = Long.parseLong(Processes.awaitLine(dir.resolve("child")));
        ProcessTree tree = new ProcessTree("mark-7", command.toHandle());

        assertThat(tree.terminate()).isTrue();
        command.waitFor();
        assertThat(tree.isThere()).isTrue();
        assertThat(tree.kill()).isTrue();
        await().until(() -> !isRunning(child));
        await().until(() -> !tree.isThere());
    }
}

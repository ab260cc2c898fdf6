package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about the command as process 1, as it is in a container, where namespaces can be had. */
class FirstProcessEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @BeforeEach
    void namespacesCanBeHad() throws Exception {
        List<String> line = new ArrayList<>(Program.FIRST);
        line.add("true");
        try {
            assumeTrue(new ProcessBuilder(line).start().waitFor() == 0);
        } catch (IOException e) {
            assumeTrue(false, "there is no unshare");
        }
    }

    /** Each renewal left a zombie, 8,640 a day, and a container can have so many processes only. */
    @Test
    void whatEndsWithoutAParentIsCollected() throws Exception {
        String orphan = "cat; orphan=$(sleep 0.1 >/dev/null & echo $!); i=0;"
                + " while [ -e /proc/$orphan ] && [ $i -lt 150 ]; do sleep 0.1; i=$((i + 1)); done; [ ! -e /proc/$orphan ] || exit 3; exit 5";
        Program.Run run = leasehold.startAsFirst("run", "demo", "sh", "-c", orphan);

        assertThat(run.status()).as(run.err()).isEqualTo(5);
        assertThat(run.out()).isEqualTo("input");
    }

    @Test
    void signalsAndStatusArePassedOn() throws Exception {
        for (String signal : List.of("TERM", "HUP", "USR1", "USR2")) {
            if (Processes.isIgnored(signal)) {
                continue;
            }
            Path ready = dir.resolve(signal);
            Program.Run run = leasehold.startAsFirst(
                    "run",
                    "demo",
                    "sh",
                    "-c",
                    "trap 'exit 7' " + signal + "; echo >" + ready + "; while :; do sleep 0.1; done");
            await().until(() -> Files.exists(ready));
            Processes.signal(
                    signal, run.process().children().findFirst().orElseThrow().pid());

            assertThat(run.status()).as(run.err()).isEqualTo(7);
        }
    }
}

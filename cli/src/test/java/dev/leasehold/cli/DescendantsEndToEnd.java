package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.testkit.ProcessStop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of a command with many descendants, 1,200 outlived the lease beside the next holder for up to 1.4 s. */
@Tag("extended")
class DescendantsEndToEnd {

    /** With 1,200 of them the machine should have nothing else to do: see the limits in docs/command-line.md. */
    private static final int COUNT = Integer.getInteger("leasehold.descendants", 400);

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @ParameterizedTest
    @CsvSource({"KILL, :", "STOP, :", "KILL, trap '' TERM", "STOP, trap '' TERM"})
    void noneIsThereWhenTheNextHolderBegins(String end, String onTerm) throws Exception {
        Path nap = Files.copy(Path.of("/bin/sleep"), dir.resolve("nap"));
        String many = onTerm + "; for i in $(seq " + COUNT + "); do " + nap + " 300 & done; echo >ready; wait";
        // Not by itself: a line that begins otherwise is not that of a nap.
        String counting = "echo $(grep -lsz '^" + nap + "$' /proc/[0-9]*/cmdline | wc -l)";
        Program.Run first = leasehold.start("run", "--lease", "15", "demo", "sh", "-c", many);
        await().atMost(Duration.ofMinutes(2)).until(() -> Files.exists(dir.resolve("ready")));
        assertThat(Processes.mentioning("cmdline", nap + "\0")).hasSize(COUNT);

        Program.Run next = leasehold.start("run", "demo", "sh", "-c", counting);
        await().until(() -> leasehold.here("show", "--json", "demo").out().contains("\"place\":1"));
        if (end.equals("STOP")) {
            ProcessStop.betweenTransactions(first.process().pid(), leasehold.store(), "demo");
        } else {
            first.signal(end);
        }

        assertThat(next.succeeded().out().strip()).as("descendants that live").isEqualTo("0");
        Processes.reaches("CONT", first.process().pid()); // One that was killed has gone.
        await().until(() -> Processes.guardsIn(dir).isEmpty());
    }
}

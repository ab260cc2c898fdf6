package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Input that cannot be meant is refused in one line, with status 64, before anything is made or sent. */
class RefusedInputTest {

    @TempDir
    Path dir;

    private void refused(String message, String... words) {
        List<String> line = new ArrayList<>(List.of("run", "--store", "sqlite:" + dir.resolve("locks.db")));
        line.addAll(List.of(words));
        refusedLine(message, line.toArray(String[]::new));
    }

    private static void refusedLine(String message, String... line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new Terminal(new PrintWriter(out), new PrintWriter(err), System.getenv()), line);

        assertThat(status).as(err.toString()).isEqualTo(64);
        assertThat(err.toString()).startsWith("leasehold: ").contains(message).doesNotContain("\tat ");
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(out.toString()).isEmpty();
    }

    @AfterEach
    void nothingWasMade() {
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void names() {
        refused("the lock's name is empty", "", "true");
        refused("10240 bytes long in UTF-8, at most 512", "x".repeat(10_240), "true");
    }

    @Test
    void commands() {
        refused("no COMMAND", "demo");
        refused("options go before NAME", "demo", "--lease", "5", "true");
        refusedLine("unknown command 'lsx'; there are run, ls, show, break, doctor, quorum", "lsx");
    }

    @Test
    void durations() {
        refused("--lease must be 1 s to 36500 days", "--lease", "0", "demo", "true");
        refused("--lease must be 1 s", "--lease", "PT0.000000001S", "demo", "true");
        refused("but was negative", "--lease", "-1", "demo", "true");
        refused("but was 36525 days", "--lease", "36525d", "demo", "true");
        refused("--wait must not be negative", "--wait", "-1", "demo", "true");
        refused("'soon' is not a duration", "--wait", "soon", "demo", "true");
        refused("--max-hold must be", "--max-hold", "0", "demo", "true");
    }

    @Test
    void stores() {
        refusedLine("would keep nobody out", "run", "--store", "memory:", "demo", "true");
        refusedLine("unknown scheme 'foo:'", "run", "--store", "foo:bar", "demo", "true");
        refusedLine("leasehold.x", "run", "--store", "sqlite:" + dir + "/db?leasehold.x=1", "demo", "true");
        refusedLine("has no path", "run", "--store", "sqlite:", "demo", "true");
    }

    @Test
    void openingAQuorumThatNobodyVouchesFor() {
        assumeThat(thereIsATerminal()).as("there is somebody to ask").isFalse();
        refusedLine("add --yes if you know that none was held", "quorum", "init", "--store", "redlock://localhost:1");
    }

    private static boolean thereIsATerminal() {
        try (InputStream terminal = Files.newInputStream(Path.of("/dev/tty"))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void permits() {
        for (String number : List.of("1", "0", "-3", "1025", "99999999999", "many", "")) {
            refused("--slots", "--slots", number, "api", "true");
        }
        refused("one at a time is what run does without it", "--slots", "1", "api", "true");
        refused("--slots and --shared exclude each other", "--slots", "2", "--shared", "api", "true");
    }
}

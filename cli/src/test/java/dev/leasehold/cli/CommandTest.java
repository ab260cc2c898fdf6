package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a command starts, where {@code /bin/sh} is this shell or that. */
class CommandTest {

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/dash", "/bin/bash"})
    void whatCannotBeExecutedIsNotTakenForMissing(String shell) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(shell)));
        Files.createFile(dir.resolve("text"));

        assertThat(status(shell, "./text")).isEqualTo(126);
        assertThat(status(shell, dir.toString())).isEqualTo(126);
        assertThat(status(shell, "./missing")).isEqualTo(127);
        assertThat(status(shell, "no-such-command")).isEqualTo(127);
        assertThat(status(shell, "sh", "-c", "exit 5")).isEqualTo(5);
        assertThat(said(shell, "no such-command")).isEqualTo("leasehold: no such-command: not found\n");
        assertThat(said(shell, "./missing")).isEqualTo("leasehold: ./missing: not found\n");
    }

    private String said(String shell, String... words) throws Exception {
        return new String(start(shell, words).getInputStream().readAllBytes());
    }

    private Process start(String shell, String... words) throws Exception {
        List<String> line = new ArrayList<>(new Command(List.of(words)).commandLine("demo", null));
        line.set(0, shell);
        return new ProcessBuilder(line)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private int status(String shell, String... words) throws Exception {
        Process process = start(shell, words);
        String said = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        assertThat(said.isEmpty()).as(said).isEqualTo(status == 5);
        assertThat(said.lines()).allSatisfy(text -> assertThat(text).startsWith("leasehold: "));
        return status;
    }
}

package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests show how a command starts, where {@code /bin/sh} is this shell or that. */
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

    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/dash", "/bin/bash"})
    void everyByteReachesTheCommand(String shell) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(shell)));
        byte[] all = new byte[256];
        for (int i = 1; i < all.length; i++) {
            all[i - 1] = (byte) i;
        }
        String word = RawArguments.split(all).get(0);
        for (String locale : List.of("C", "C.UTF-8")) {
            ProcessBuilder builder = builder(shell, "printf", "%s|", word, "", "'", word + word);
            builder.environment().put("LC_ALL", locale);
            byte[] said = builder.start().getInputStream().readAllBytes();

            assertThat(RawArguments.split(terminated(said)).get(0)).isEqualTo(word + "||'|" + word + word + "|");
        }
    }

    private static byte[] terminated(byte[] text) {
        return Arrays.copyOf(text, text.length + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/dash", "/bin/bash"})
    void oneLetterBeyondAsciiAmongManyArgumentsCostsNoTime(String shell) throws Exception {
        assumeTrue(Files.isExecutable(Path.of(shell)));
        List<String> words =
                new ArrayList<>(List.of("sh", "-c", "echo $# \"$1\"; eval echo \\\"\\${$#}\\\"", "sh", "é"));
        for (int i = 0; i < 10_000; i++) {
            words.add("argument" + i);
        }
        assertThat(said(shell, words.toArray(String[]::new))).isEqualTo("10001 é\nargument9999\n");
    }

    private String said(String shell, String... words) throws Exception {
        return new String(start(shell, words).getInputStream().readAllBytes());
    }

    private Process start(String shell, String... words) throws Exception {
        return builder(shell, words).start();
    }

    private ProcessBuilder builder(String shell, String... words) {
        List<String> line = new ArrayList<>(new Command(List.of(words)).commandLine("demo", null));
        line.set(0, shell);
        return new ProcessBuilder(line).directory(dir.toFile()).redirectErrorStream(true);
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

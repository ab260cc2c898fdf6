package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests show how a command starts, where {@code /bin/sh} is this shell or that. */
class CommandTest {

    @TempDir
    Path dir;

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void whatCannotBeExecutedIsNotTakenForMissing(List<String> shell) throws Exception {
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
    @MethodSource("dev.leasehold.cli.Shells#present")
    void everyDirectoryOfThePathIsLookedAt(List<String> shell) throws Exception {
        Path tools = Files.createDirectory(dir.resolve("my tools"));
        executable(tools.resolve("tool"), "#!/bin/sh\necho found");
        executable(dir.resolve("here"), "#!/bin/sh\necho here");
        for (String path : List.of(tools + "", "/missing:" + tools, tools + ":/missing", "/usr/bin:/*:" + tools)) {
            assertThat(said(shell, Map.of("PATH", path), "tool")).as(path).isEqualTo("found\n");
        }
        for (String path : List.of(":/missing", "/missing::/missing", "/missing:")) {
            assertThat(said(shell, Map.of("PATH", path), "here")).as(path).isEqualTo("here\n");
            assertThat(said(shell, Map.of("PATH", path), "tool")).isEqualTo("leasehold: tool: not found\n");
        }
    }

    /** Then a run gives its lock back at once. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void whatDoesNotRunIsKnownToHaveNotRun(List<String> shell) throws Exception {
        Files.createFile(dir.resolve("text"));
        executable(dir.resolve("interpreted"), "#! /missing/sh -e\n");
        executable(dir.resolve("script"), "#!/bin/sh\nexit 127");
        executable(dir.resolve("unnamed"), "#! \nexit 127");
        Files.createDirectory(dir.resolve("directory"));
        Path both = Files.createDirectory(dir.resolve("both"));
        Files.createFile(both.resolve("script"));
        for (String word : List.of("./text", "./directory", "./interpreted", "./missing", "text", "directory")) {
            Command command = new Command(List.of(word)).observed();
            int status = start(shell, Map.of("PATH", dir.toString()), command).waitFor();
            assertThat(status).as(word).isIn(126, 127);
            assertThat(command.hasNotRun()).as(word).isTrue();
        }
        for (String word : List.of("./script", "script", "./unnamed")) {
            Command command = new Command(List.of(word)).observed();
            assertThat(start(shell, Map.of("PATH", both + ":" + dir), command).waitFor())
                    .isEqualTo(127);
            assertThat(command.hasNotRun()).as(word).isFalse();
        }
    }

    /** A shell that can start no process ends so; here the last word is one that it cannot have. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void aShellThatFailsHasNotRunTheCommand(List<String> shell) throws Exception {
        Command command = new Command(List.of("echo", "ran", "é")).observed();
        ProcessBuilder builder = builder(shell, command);
        List<String> line = builder.command();
        assertThat(line).contains("coded");
        line.set(line.size() - 1, "${leasehold_missing?no process could be started}");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes());

        assertThat(process.waitFor()).as(said).isEqualTo(70);
        assertThat(said)
                .endsWith("leasehold: the shell that was to become the command failed; it was not run\n")
                .doesNotContain("ran\n");
        assertThat(command.hasNotRun()).isTrue();
    }

    /** A binary file has no lines: to look for its first one read, byte by byte, as much of it as comes before a line break. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void ofAFileToExecuteTheBeginningIsRead(List<String> shell) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/true")));
        executable(dir.resolve("large"), "#!/bin/true ");
        try (RandomAccessFile large = new RandomAccessFile(dir.resolve("large").toFile(), "rw")) {
            large.setLength(20_000_000_000L);
        }
        Process process = start(shell, Map.of(), new Command(List.of("./large")).observed());

        boolean ended = process.waitFor(A_MINUTE, TimeUnit.SECONDS);
        process.destroyForcibly();

        assertThat(ended).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static void executable(Path file, String script) throws Exception {
        Files.writeString(file, script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void everyByteReachesTheCommand(List<String> shell) throws Exception {
        byte[] all = new byte[256];
        for (int i = 1; i < all.length; i++) {
            all[i - 1] = (byte) i;
        }
        String word = RawArguments.split(all).get(0);
        for (String locale : List.of("C", "C.UTF-8")) {
            ProcessBuilder builder = builder(shell, new Command(List.of("printf", "%s|", word, "", "'", word + word)));
            builder.environment().put("LC_ALL", locale);
            byte[] said = builder.start().getInputStream().readAllBytes();

            assertThat(RawArguments.split(terminated(said)).get(0)).isEqualTo(word + "||'|" + word + word + "|");
        }
    }

    private static byte[] terminated(byte[] text) {
        return Arrays.copyOf(text, text.length + 1);
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void oneLetterBeyondAsciiAmongManyArgumentsCostsNoTime(List<String> shell) throws Exception {
        List<String> words =
                new ArrayList<>(List.of("sh", "-c", "echo $# \"$1\"; eval echo \\\"\\${$#}\\\"", "sh", "é"));
        for (int i = 0; i < 10_000; i++) {
            words.add("argument" + i);
        }
        assertThat(said(shell, words.toArray(String[]::new))).isEqualTo("10001 é\nargument9999\n");
    }

    private String said(List<String> shell, String... words) throws Exception {
        return said(shell, Map.of(), words);
    }

    private String said(List<String> shell, Map<String, String> environment, String... words) throws Exception {
        Process process = start(shell, environment, new Command(List.of(words)));
        return new String(process.getInputStream().readAllBytes());
    }

    private Process start(List<String> shell, Map<String, String> environment, Command command) throws Exception {
        ProcessBuilder builder = builder(shell, command);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private ProcessBuilder builder(List<String> shell, Command command) {
        List<String> line = new ArrayList<>(command.commandLine("demo", null));
        line.remove(0);
        line.addAll(0, shell);
        return new ProcessBuilder(line).directory(dir.toFile()).redirectErrorStream(true);
    }

    private int status(List<String> shell, String... words) throws Exception {
        Process process = start(shell, Map.of(), new Command(List.of(words)));
        String said = new String(process.getInputStream().readAllBytes());
        int status = process.waitFor();
        assertThat(said.isEmpty()).as(said).isEqualTo(status == 5);
        assertThat(said.lines()).allSatisfy(text -> assertThat(text).startsWith("leasehold: "));
        return status;
    }
}

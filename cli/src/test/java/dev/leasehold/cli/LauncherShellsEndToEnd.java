package dev.leasehold.cli;

import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** These tests show the launcher where {@code /bin/sh} is this shell or that. */
class LauncherShellsEndToEnd {

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    /** A shell has descriptors of its own, as that of its script: these are not the command's. It has become the JVM. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void whatItWasStartedWithReachesTheCommand(List<String> shell) throws Exception {
        Files.writeString(dir.resolve("five"), "five\n");
        List<String> opener = new ArrayList<>(List.of("sh", "-c", "exec 5<five; exec \"$@\"", "sh"));
        opener.addAll(shell);
        String command = "cat; echo \" $1\"; cat <&5; echo $PPID; cd /proc/$$/fd; readlink * | grep leasehold; exit 5";
        Program.Run run =
                leasehold.start(opener, Map.of(), List.of("run", "demo", "sh", "-c", command, "sh", "two  words, é"));

        assertThat(run.status()).as(run.err()).isEqualTo(5);
        assertThat(run.out())
                .isEqualTo("input two  words, é\nfive\n" + run.process().pid() + "\n");
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void theFirstProcessPassesSignalsOn(List<String> shell) throws Exception {
        Program.assumeStarts(Program.FIRST);
        List<String> first = new ArrayList<>(Program.FIRST);
        first.addAll(shell);
        String command =
                "trap 'echo two >signals' USR1; trap 'exit 7' TERM; echo one >signals; while :; do sleep 0.1; done";
        Program.Run run = leasehold.start(first, Map.of(), List.of("run", "demo", "sh", "-c", command));
        for (String signal : List.of("USR1", "TERM")) {
            String said = signal.equals("USR1") ? "one" : "two";
            await().until(() -> Processes.contents(dir.resolve("signals")).equals(said + "\n"));
            Processes.signal(
                    signal, run.process().children().findFirst().orElseThrow().pid());
        }

        assertThat(run.status()).as(run.err()).isEqualTo(7);
    }

    /** In a checkout of its own, whose Maven makes an empty jar, and whose Java says what it was given. */
    @ParameterizedTest
    @MethodSource("dev.leasehold.cli.Shells#present")
    void aCheckoutIsBuiltOnce(List<String> shell) throws Exception {
        Path checkout = Files.createDirectories(dir.resolve("my checkout"));
        String sources = "cli/src/main/sh/checkout.sh";
        Files.createDirectories(checkout.resolve(sources).getParent());
        Files.copy(Program.LAUNCHER.resolveSibling(sources), checkout.resolve(sources));
        Files.copy(Program.LAUNCHER, checkout.resolve("leasehold"));
        Files.createSymbolicLink(dir.resolve("link"), checkout.resolve("leasehold"));
        executable(checkout.resolve("mvnw"), "echo built; : >cli/target/leasehold-cli-1.jar");
        Path java = checkout.resolve("java/bin/java");
        Files.createDirectories(java.getParent());
        executable(java, "for word; do last=$word; done; echo \"$last\"");
        String built = "leasehold: building, once; the first time takes a minute or two\nbuilt\n";
        for (String said : List.of(built, "")) {
            Path err = dir.resolve("err");
            List<String> line = new ArrayList<>(shell);
            line.addAll(List.of("./link", "run", "two  words"));
            ProcessBuilder builder =
                    new ProcessBuilder(line).directory(dir.toFile()).redirectError(err.toFile());
            builder.environment().put("JAVA_HOME", checkout.resolve("java").toString());
            builder.environment().remove("LEASEHOLD_BUILD");
            Process process = builder.start();

            assertThat(new String(process.getInputStream().readAllBytes())).isEqualTo("two  words\n");
            assertThat(process.waitFor()).isZero();
            assertThat(Files.readString(err)).isEqualTo(said);
        }
    }

    private static void executable(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}

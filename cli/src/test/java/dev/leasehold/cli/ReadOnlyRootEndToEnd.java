package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** These tests are about a container whose root cannot be written, and whose user has no home, where namespaces can be had. */
class ReadOnlyRootEndToEnd {

    /** Only /dev/shm can be written. */
    private static final List<String> READ_ONLY = List.of(
            "unshare",
            "--mount",
            "sh",
            "-c",
            "mount --make-rprivate / && mount --bind / / && mount -o remount,ro,bind / && mount -t tmpfs tmpfs /dev/shm"
                    + " && cd / && exec \"$@\"",
            "sh");

    @TempDir
    Path dir;

    @RegisterExtension
    final Program leasehold = new Program(() -> dir);

    @BeforeEach
    void namespacesCanBeHad() throws Exception {
        Program.assumeStarts(READ_ONLY);
    }

    private Program.Run run(Map<String, String> environment) throws IOException {
        return leasehold.start(READ_ONLY, environment, List.of("run", "demo", "echo", "ran"));
    }

    @Test
    void aHomeThatCannotBeWrittenIsNamed() throws Exception {
        Program.Run run = run(Map.of("LEASEHOLD_STORE", "", "HOME", "/", "XDG_STATE_HOME", ""));

        run.failed(78, "Read-only file system");
        assertThat(run.err()).contains("sqlite:/.local/state/leasehold/locks.db");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aStoreWhereItCanBeWrittenIsEnough() throws Exception {
        for (Map<String, String> environment : List.of(
                Map.of("LEASEHOLD_STORE", "sqlite:/dev/shm/locks.db", "HOME", "/"),
                Map.of("LEASEHOLD_STORE", "", "HOME", "/dev/shm", "XDG_STATE_HOME", ""))) {
            assertThat(run(environment).succeeded().out()).isEqualTo("ran\n");
        }
    }

    /** It ended with the status 2 of a shell, which may be the command's own. */
    @Test
    void aCheckoutThatCannotBeBuiltSaysSo() throws Exception {
        Path checkout = dir.resolve("cli/src/main/sh/checkout.sh");
        Files.createDirectories(checkout.getParent());
        Files.copy(Program.LAUNCHER.resolveSibling("cli/src/main/sh/checkout.sh"), checkout);
        Path launcher = Files.copy(Program.LAUNCHER, dir.resolve("leasehold"));
        for (boolean cacheIsThere : List.of(false, true)) {
            if (cacheIsThere) {
                Files.createDirectories(dir.resolve("cli/target/launcher"));
            }
            List<String> line = new ArrayList<>(READ_ONLY);
            line.addAll(List.of(launcher.toString(), "run", "demo", "true"));
            ProcessBuilder builder = new ProcessBuilder(line)
                    .redirectOutput(dir.resolve("out").toFile())
                    .redirectError(dir.resolve("err").toFile());
            builder.environment().remove("LEASEHOLD_BUILD");

            assertThat(builder.start().waitFor()).isEqualTo(70);
            assertThat(Files.readString(dir.resolve("err")))
                    .contains("leasehold: cannot write to " + dir.toRealPath() + "/cli/target/launcher;")
                    .doesNotContain("Read-only");
        }
    }
}

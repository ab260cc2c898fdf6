package dev.leasehold.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store file on which there is less space than SQLite takes for its log before it cuts it off by itself, some 4 MB. */
@Tag("slow")
class SmallSpaceTest {

    private static final int CYCLES = 1_000;

    @TempDir
    Path directory;

    /** A process that may not make a file larger takes and releases a lock. */
    public static void main(String[] args) throws InterruptedException {
        try (Leasehold client = Leasehold.connect("sqlite:" + args[0])) {
            for (int i = 0; i < CYCLES; i++) {
                try (Lease lease = client.lock("a").acquire()) {
                    lease.ensureValid();
                }
            }
        }
    }

    @Test
    void theLogIsCutOffBeforeAProcessGivesUp() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")));
        Path file = directory.resolve("locks.db");
        Path said = directory.resolve("said");
        try (Leasehold other = Leasehold.connect("sqlite:" + file);
                Lease held = other.lock("b").acquire()) { // The last client that closes a file would cut the log off.
            Process process = new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            "ulimit -f 5000; exec \"$@\"",
                            "sh",
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:-UsePerfData",
                            "--class-path",
                            System.getProperty("java.class.path"),
                            SmallSpaceTest.class.getName(),
                            file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try {
                assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue())
                        .as(Files.readString(said, StandardCharsets.UTF_8))
                        .isZero();
                assertThat(held.isValid()).isTrue();
            } finally {
                process.destroyForcibly();
            }
        }
    }
}

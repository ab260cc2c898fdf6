package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first start of the program waits for the training. */
class TrainingTest {

    @TempDir
    Path dir;

    /** It waited a minute for the Redis that it pretends to have. */
    @Test
    void noStoreIsWaitedForLong() throws Exception {
        Path said = dir.resolve("said");
        Process training = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--class-path",
                        System.getProperty("java.class.path"),
                        Training.class.getName(),
                        "sqlite:" + dir.resolve("training.db"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();

        assertThat(training.waitFor()).isZero();
        assertThat(Files.readString(said))
                .contains("did not answer for ")
                .doesNotContainPattern("did not answer for ([3-9]\\d|\\d{3,})");
    }
}

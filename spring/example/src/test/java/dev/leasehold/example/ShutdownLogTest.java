package dev.leasehold.example;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This test is about what a process logs while it ends: java.util.logging has no handlers then. */
@Tag("slow")
class ShutdownLogTest {

    @Test
    void whatIsAbandonedAtASigtermIsInTheLog(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AbandoningApplication.class.getName(),
                        "--leasehold.store.type=memory",
                        "--leasehold.shutdown.wait-time=1s",
                        "--leasehold.shutdown.interrupt-wait-time=0s",
                        "--spring.sql.init.mode=never",
                        "--spring.main.web-application-type=none",
                        "--spring.main.keep-alive=true")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await().until(() -> Files.readString(log).contains("the lock is held"));
            process.destroy();
            assertThat(process.waitFor(A_MINUTE, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(log))
                    .contains("WARN")
                    .containsOnlyOnce("the lock 'job' with token")
                    .contains("was still held when its client was closed");
        } finally {
            process.destroyForcibly();
        }
    }
}

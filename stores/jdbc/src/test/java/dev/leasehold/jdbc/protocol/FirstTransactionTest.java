package dev.leasehold.jdbc.protocol;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process's first transactions keep all others from the file while the JVM makes what they use for the first time.
 * {@code equals} and {@code hashCode} of a record were the dearest of that by far: 19 of 23 ms.
 */
@Tag("slow")
class FirstTransactionTest {

    @TempDir
    Path directory;

    @Test
    void noRecordsEqualsIsMadeInALocksWholeLife() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=loaded",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        FirstTransactionTest.class.getName(),
                        "sqlite:" + directory.resolve("locks.db"))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(directory.resolve("loaded")))
                .contains(Protocol.class.getName())
                .doesNotContain("java.lang.runtime.ObjectMethods");
    }

    /** Takes, renews, hands over, waits and releases. */
    public static void main(String[] args) throws Exception {
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(10));
        try (Leasehold one = Leasehold.connect(args[0]);
                Leasehold other = Leasehold.connect(args[0])) {
            DistributedLock lock = one.lock("demo", options);
            Lease lease = lock.acquire();
            CompletionStage<Lease> waiting = other.lock("demo", options).acquireAsync();
            await().until(() -> one.locks("demo").get(0).waiters().size() == 1);
            Duration left = lease.remaining();
            await().until(() -> lease.remaining().compareTo(left) > 0);
            lease.close();
            waiting.toCompletableFuture().join().close();
        }
    }
}

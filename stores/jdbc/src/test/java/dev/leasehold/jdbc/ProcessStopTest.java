package dev.leasehold.jdbc;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.testkit.ProcessStop;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A process that holds the lock "demo" and is in the middle of a transaction. */
@Tag("slow")
@EnabledOnOs(OS.LINUX)
class ProcessStopTest {

    @TempDir
    Path directory;

    private Path file;
    private Process process;
    private BufferedReader answers;

    @BeforeEach
    void start() throws Exception {
        file = directory.resolve("locks.db");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--class-path",
                        System.getProperty("java.class.path"),
                        ProcessStopTest.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(answers.readLine()).startsWith("in");
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private String store() {
        return "sqlite:" + file;
    }

    private void commit() throws IOException {
        process.getOutputStream().write('c');
        process.getOutputStream().flush();
    }

    @Test
    void aProcessIsStoppedWhenItsTransactionIsThrough() throws Exception {
        CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> {
            try {
                ProcessStop.betweenTransactions(process.pid(), store(), "demo");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> stop.isDone()
                || Files.readString(Path.of("/proc", Long.toString(process.pid()), "status"))
                        .contains("(stopped)"));
        commit();
        stop.join();
        try (Leasehold other = Leasehold.connect(store())) {
            assertThat(other.lock("other").tryAcquire()).isPresent();
        }
    }

    @Test
    void aProcessThatIsNotThereIsNotTakenForStopped() throws Exception {
        commit();
        process.destroyForcibly().waitFor();
        assertThatThrownBy(() -> ProcessStop.betweenTransactions(process.pid(), store(), "demo"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("could be sent to the process " + process.pid());
    }

    /** Takes the lock, begins a transaction, says so, and commits on command. */
    public static void main(String[] args) throws Exception {
        try (Leasehold leasehold = Leasehold.connect("sqlite:" + args[0]);
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
                Statement statement = connection.createStatement()) {
            Lease lease = leasehold.lock("demo").acquire();
            statement.execute("BEGIN IMMEDIATE");
            System.out.println("in, with " + lease.token());
            System.out.flush();
            System.in.read();
            statement.execute("COMMIT");
            System.in.read(); // Until the test ends.
        }
    }
}

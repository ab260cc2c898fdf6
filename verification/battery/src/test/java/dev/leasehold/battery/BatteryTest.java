package dev.leasehold.battery;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.battery.Violation.Rule.AVAILABILITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * These tests are about the short form of the battery: real stores, real processes, a few faults. And that it finds a client
 * that ignores its losses. Availability is judged by the long form and in {@code JudgeTest} only: a machine that tests other
 * modules at the same time can keep an answer away for longer than a client waits for one.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class BatteryTest {

    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private Result run(StoreKind store, Fault fault, Worker.Kind worker) throws Exception {
        Duration tolerant = Duration.ofSeconds(A_MINUTE); // How late a busy machine calls listeners, JudgeTest judges.
        return Run.of(
                new Plan(
                        Peer.LEASEHOLD,
                        store,
                        fault,
                        Duration.ofMillis(3_000),
                        Duration.ofMillis(500),
                        2,
                        1,
                        worker,
                        tolerant,
                        directory),
                NOWHERE);
    }

    @ParameterizedTest
    @CsvSource({"SQLITE, STOP", "SQLITE, KILL", "REDIS, BLACK_HOLE"})
    void noPromiseIsBroken(StoreKind store, Fault fault) throws Exception {
        Result result = run(store, fault, Worker.Kind.CAREFUL);
        assertThat(result.violations())
                .as("history and picture in %s", directory)
                .filteredOn(violation -> violation.rule() != AVAILABILITY)
                .isEmpty();
        assertThat(result.grants())
                .as("grants, see %s", directory)
                .isGreaterThan(2); // Each client has had one before the first fault.
        assertThat(result.strikes()).isPositive();
        assertThat(Files.readString(directory.resolve("picture.html")))
                .contains("client-1/0", "client-2/1", fault.word());
    }

    @Test
    void aClientThatIgnoresItsLossesIsFound() throws Exception {
        Result result = run(StoreKind.SQLITE, Fault.NONE, Worker.Kind.HEEDLESS);
        assertThat(result.violations()).extracting(Violation::rule).contains(Rule.TRUTH, Rule.EXCLUSION);
    }
}

package dev.leasehold.cli;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.cli.Processes.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import dev.leasehold.LockException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command on a lease that does what the test likes: no store, but real processes. */
class SupervisorTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LONG_GRACE = Duration.ofHours(1);

    @TempDir
    Path dir;

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final StringWriter said = new StringWriter();

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @AfterEach
    void killWhatIsLeft() throws Exception {
        thread.shutdownNow();
        for (long command : Processes.mentioning("cmdline", dir.toString())) {
            Processes.signal("KILL", command);
        }
    }

    private Supervisor supervisor(FakeLease lease, Duration duration, boolean killOnLoss, String script) {
        return supervisor(lease, duration, killOnLoss, events, script);
    }

    private Supervisor supervisor(
            FakeLease lease, Duration duration, boolean killOnLoss, BlockingQueue<Event> events, String script) {
        Command command = new Command(List.of("sh", "-c", script, "sh", dir.toString()));
        RunSettings settings = new RunSettings(
                command, duration, Duration.ofDays(1), LONG_GRACE, killOnLoss, RunSettings.Forgo.NOTHING);
        PrintWriter writer = new PrintWriter(said);
        return new Supervisor(lease, settings, events, new Terminal(writer, writer, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"INT, 2, true", "TERM, 15, true", "HUP, 1, true", "INT, 2, false", "TERM, 15, false"})
    void aSignalBetweenGrantAndStartIsNotSwallowed(String name, int number, boolean killOnLoss) throws Exception {
        FakeLease lease = new FakeLease(MINUTE);
        events.add(new Event.Signalled(name, number));

        int status = supervisor(lease, MINUTE, killOnLoss, "echo >\"$1/ran\"").run();
        assertThat(status).isEqualTo(128 + number);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(dir.resolve("ran")).doesNotExist();
        assertThat(said.toString()).isEmpty();
    }

    /** Until its guard is dead; the command goes on when it gets SIGTERM. */
    private Future<Integer> runWithoutGuard(FakeLease lease, Duration duration) throws Exception {
        Supervisor supervisor = supervisor(
                lease,
                duration,
                true,
                "trap 'echo >\"$1/term\"' TERM; echo >\"$1/ready\"; while :; do sleep 0.05; echo >\"$1/alive\"; done");
        Future<Integer> status = thread.submit(supervisor::run);
        await().until(() -> Files.exists(dir.resolve("ready")));
        Processes.killGuardsOf(ProcessHandle.current());
        await().until(() -> Files.exists(dir.resolve("term")));
        return status;
    }

    @Test
    void theGraceWithoutAGuardIsCutAsWithOne() throws Exception {
        FakeLease lease = new FakeLease(Duration.ofHours(1));
        Future<Integer> status = runWithoutGuard(lease, Duration.ofSeconds(30));

        assertThat(status.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(70);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(said.toString()).isEqualTo("leasehold: the guard process has died; ending the command\n");
    }

    @Test
    @DisplayName("The grace without a guard ends before a lease that is not renewed")
    void theGraceWithoutAGuardEndsBeforeTheLease() throws Exception {
        FakeLease lease = new FakeLease(Duration.ofHours(1));
        Future<Integer> status = runWithoutGuard(lease, Duration.ofDays(1));
        // The margin before the end is longer than that.
        lease.stopAt(Duration.ofMillis(450));

        assertThat(status.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(70);
    }

    @Test
    void aLossIsHandledWhileACommandWithoutAGuardIsEnded() throws Exception {
        FakeLease lease = new FakeLease(Duration.ofHours(1));
        Future<Integer> status = runWithoutGuard(lease, Duration.ofDays(1));
        lease.lose();

        assertThat(status.get(A_MINUTE, TimeUnit.SECONDS)).isEqualTo(79);
        assertThat(said.toString())
                .endsWith("the lock 'demo' is lost; ending the command\n")
                .hasLineCount(2);
    }

    /**
     * After a stop the two are found in any order: the guard has ended the command, and the process knows of its end before it
     * knows of the loss. Then it exited with 79 and not a word.
     */
    @Test
    void aLossThatIsFoundAfterTheEndOfTheCommandIsTold() throws Exception {
        FakeLease lease = new FakeLease(Duration.ofHours(1));
        CountDownLatch taken = new CountDownLatch(1);
        BlockingQueue<Event> inThisOrder = new LinkedBlockingQueue<>() {
            @Override
            public Event take() throws InterruptedException {
                Event event = super.take();
                if (event instanceof Event.Exited) {
                    lease.lose();
                    taken.countDown();
                }
                return event;
            }
        };
        int status = supervisor(lease, MINUTE, true, inThisOrder, "exit 3").run();
        assertThat(taken.getCount()).isZero();
        assertThat(status).isEqualTo(79);
        assertThat(said.toString())
                .isEqualTo("leasehold: the lock 'demo' was lost; the command has ended with status 3\n");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    @DisplayName("A release that the store refuses does not hide the command's status")
    void aRefusedReleaseDoesNotHideTheCommandsStatus(boolean killOnLoss) throws Exception {
        FakeLease lease = new FakeLease(MINUTE);
        lease.refuseRelease(new LockException("no right to write"));

        int status = supervisor(lease, MINUTE, killOnLoss, "exit 0").run();
        assertThat(status).isZero();
        assertThat(said.toString())
                .isEqualTo(
                        "leasehold: the command has ended with status 0, but the lock 'demo' could not be released and stays "
                                + "taken for up to 60 s: no right to write\n");
    }
}

package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LeaseState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command on a lease that does what the test likes: no store, but real processes. */
class SupervisorTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path dir;

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final StringWriter said = new StringWriter();

    private Supervisor supervisor(FakeLease lease, Duration duration, boolean killOnLoss, String script) {
        Command command = new Command(List.of("sh", "-c", script, "sh", dir.toString()));
        RunSettings settings = new RunSettings(command, duration, Duration.ofDays(1), MINUTE, killOnLoss);
        PrintWriter writer = new PrintWriter(said);
        return new Supervisor(lease, settings, events, new Terminal(writer, writer));
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
}

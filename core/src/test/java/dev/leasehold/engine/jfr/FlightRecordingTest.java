package dev.leasehold.engine.jfr;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.engine.WrappedStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** These tests show what the flight recorder gets, and that nothing is missing where there is none. */
class FlightRecordingTest {

    @TempDir
    Path dir;

    private interface Work {
        void run(Leasehold leasehold) throws Exception;
    }

    private List<RecordedEvent> record(Work work) throws Exception {
        try (Recording recording = new Recording()) {
            for (String name : List.of("LockAcquire", "LockHold")) {
                recording.enable("dev.leasehold." + name).withThreshold(Duration.ZERO);
            }
            recording.enable("dev.leasehold.LockHandOver");
            recording.start();
            try (Leasehold leasehold = Leasehold.builder()
                    .store(new WrappedStore())
                    .label("recorded")
                    .namespace("prod")
                    .build()) {
                work.run(leasehold);
            }
            recording.stop();
            Path file = dir.resolve("recording.jfr");
            recording.dump(file);
            return ours(file);
        }
    }

    private static List<RecordedEvent> ours(Path file) throws IOException {
        List<RecordedEvent> ours = new ArrayList<>(RecordingFile.readAllEvents(file));
        ours.removeIf(event -> !event.getEventType().getName().startsWith("dev.leasehold."));
        return ours;
    }

    private static List<RecordedEvent> named(List<RecordedEvent> all, String name) {
        return all.stream()
                .filter(event -> event.getEventType().getName().equals("dev.leasehold." + name))
                .toList();
    }

    @Test
    void aCallAndItsHoldAreRecorded() throws Exception {
        long[] token = {0};
        List<RecordedEvent> events = record(leasehold -> {
            try (Lease lease = leasehold.lock("a").acquire()) {
                token[0] = lease.token();
                assertThat(leasehold.lock("a").tryAcquire()).isEmpty();
            }
        });
        assertThat(named(events, "LockAcquire")).hasSize(2).anySatisfy(event -> {
            assertThat(event.getString("outcome")).isEqualTo("acquired");
            assertThat(event.getString("lock")).isEqualTo("a");
            assertThat(event.getString("namespace")).isEqualTo("prod");
            assertThat(event.getString("client")).isEqualTo("recorded");
            assertThat(event.getString("kind")).isEqualTo("WAIT");
            assertThat(event.getString("mode")).isEqualTo("EXCLUSIVE");
            assertThat(event.getLong("token")).isEqualTo(token[0]);
            assertThat(event.getThread().getJavaName())
                    .isEqualTo(Thread.currentThread().getName());
        });
        assertThat(named(events, "LockAcquire"))
                .anySatisfy(event -> assertThat(event.getString("outcome")).isEqualTo("busy"));
        assertThat(named(events, "LockHold")).singleElement().satisfies(event -> {
            assertThat(event.getString("outcome")).isEqualTo("released");
            assertThat(event.getLong("token")).isEqualTo(token[0]);
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(named(events, "LockHandOver")).isEmpty();
    }

    @Test
    void howALockIsSharedIsRecorded() throws Exception {
        List<RecordedEvent> events = record(leasehold -> {
            try (Lease first = leasehold.semaphore("s", 3).acquire();
                    Lease second = leasehold.semaphore("s", 3).acquire();
                    Lease reader = leasehold.readWriteLock("r").read().acquire()) {
                assertThat(List.of(first, second, reader)).allMatch(Lease::isValid);
            }
        });
        for (String name : List.of("LockAcquire", "LockHold")) {
            assertThat(named(events, name))
                    .extracting(event ->
                            event.getString("mode") + " of " + event.getInt("share") + " at " + event.getInt("slot"))
                    .as(name)
                    .containsExactlyInAnyOrder(
                            "PERMIT of 3 at 0", "PERMIT of 3 at 1", "READER of " + Integer.MAX_VALUE + " at -1");
        }
    }

    @Test
    void aHandOverIsRecorded() throws Exception {
        // Many times: a machine that stalls for 10 ms gives the lease back to the store instead.
        List<RecordedEvent> events = record(leasehold -> {
            for (int i = 0; i < 500; i++) {
                Lease first = leasehold.lock("a").acquire();
                CompletableFuture<Lease> second = leasehold.lock("a").acquireAsync();
                CompletableFuture<Lease> third = leasehold.lock("a").acquireAsync();
                first.close();
                second.get(A_MINUTE, TimeUnit.SECONDS).close();
                third.get(A_MINUTE, TimeUnit.SECONDS).close();
            }
        });
        assertThat(named(events, "LockHandOver")).isNotEmpty();
        assertThat(named(events, "LockAcquire"))
                .anySatisfy(event -> assertThat(event.getBoolean("handedOver")).isTrue());
    }

    @Test
    void renewalsAndALossAreRecorded() throws Exception {
        List<RecordedEvent> events = record(leasehold -> {
            Lease lease = leasehold.lock("a").acquire();
            lease.extend(Duration.ofMinutes(1));
            assertThat(leasehold.breakLock("a", lease.token())).isTrue();
            await().until(() -> !lease.isValid());
            lease.close();
        });
        assertThat(named(events, "LeaseRenewal"))
                .anySatisfy(event -> assertThat(event.getDuration("took")).isPositive());
        assertThat(named(events, "LeaseLost"))
                .singleElement()
                .satisfies(event -> assertThat(event.getDuration("held")).isPositive());
        assertThat(named(events, "LockHold"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("outcome")).isEqualTo("lost"));
    }

    @Test
    void nothingIsMadeForACallWhileNothingIsRecorded() {
        FlightRecording.Recorder recorder = FlightRecording.find();
        assertThat(recorder).isNotNull();
        assertThat(recorder.isOn()).isFalse();
    }

    /** Main acquires a lock in a runtime of its own. */
    public static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            boolean recorder = FlightRecording.find() != null;
            try (Leasehold leasehold = Leasehold.connect("memory:")) {
                leasehold.lock("a").acquire().close();
            }
            System.out.println("recorder " + recorder + ", done");
        }
    }

    @Test
    void aRuntimeWithoutTheRecorderHasLocksAllTheSame() throws Exception {
        assertThat(runMain("--limit-modules", "java.base")).contains("recorder false, done");
        assertThat(runMain()).contains("recorder true, done");
    }

    private static String runMain(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}

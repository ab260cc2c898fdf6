package dev.leasehold.testkit;

import dev.leasehold.testkit.HoldRecord.End;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A contender process is a JVM of its own that runs {@link ContenderMain}. */
final class ContenderProcess implements AutoCloseable {

    private final String name;
    private final String uri;
    private final String lock;
    private final Process process;
    private final Path errors;
    private final Writer orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private ContenderProcess(String name, String uri, String lock, Process process, Path errors) {
        this.name = name;
        this.uri = uri;
        this.lock = lock;
        this.process = process;
        this.errors = errors;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "testkit-reader");
        reader.setDaemon(true);
        reader.start();
    }

    static ContenderProcess start(String name, String uri, String lock, Duration lease, Path directory)
            throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dio.lettuce.core.jfr=false",
                "-Dio.netty.jfr.enabled=false",
                "-cp",
                System.getProperty("java.class.path"),
                ContenderMain.class.getName(),
                name,
                uri,
                lock,
                Long.toString(lease.toMillis()),
                directory.toString());
        Path errors = directory.resolve(name + ".err");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        return new ContenderProcess(name, uri, lock, process, errors);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            answers.add("broken pipe: " + e);
        }
        answers.add("end");
    }

    ContenderProcess order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
        return this;
    }

    /** Returns the next answer, which must begin so. */
    String expect(String beginning) throws InterruptedException {
        Duration limit = ClientFixture.LONGEST_WAIT;
        String answer = answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null || !answer.startsWith(beginning)) {
            throw new AssertionError(name + " should have answered '" + beginning + "' within " + limit
                    + ", but answered " + answer + errors());
        }
        return answer.substring(beginning.length()).trim();
    }

    private String errors() {
        try {
            String text = Files.readString(errors);
            return text.isEmpty() ? "" : " and wrote\n" + text;
        } catch (IOException e) {
            return " and " + e;
        }
    }

    boolean hasAnswered() {
        return !answers.isEmpty();
    }

    /** Kills the process, as by {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /**
     * Stops the process by {@code SIGSTOP}, see {@link ProcessStop}. Some candidate or contender must hold the lock.
     */
    void stopBetweenTransactions() throws IOException, InterruptedException {
        ProcessStop.betweenTransactions(process.pid(), uri, lock);
    }

    /** Lets the process go on by {@code SIGCONT}. */
    void resume() throws IOException, InterruptedException {
        ProcessStop.signal("CONT", process.pid());
    }

    /** Lets the process run for a tenth of the time, until the shell that is returned ends; then it goes on. */
    Process throttle(Duration stop) throws IOException {
        String script = String.format(
                Locale.ROOT,
                "trap 'kill -CONT $1; exit' TERM; while kill -STOP $1; do sleep %.3f; kill -CONT $1; sleep %.3f; done",
                stop.toMillis() / 1000.0,
                stop.toMillis() / 9000.0);
        return new ProcessBuilder("sh", "-c", script, "sh", Long.toString(process.pid()))
                .inheritIO()
                .start();
    }

    /** Returns its name and the answers that nobody has taken yet. */
    @Override
    public String toString() {
        return name + (process.isAlive() ? " " : " (ended) ") + answers;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /**
     * Returns the logs of all contenders in a directory; a hold of which the end is missing was that of a killed process.
     */
    static List<HoldRecord> history(Path directory) throws IOException {
        List<HoldRecord> history = new ArrayList<>();
        try (var logs = Files.newDirectoryStream(directory, "*.log")) {
            for (Path log : logs) {
                Map<Long, HoldRecord> holds = new LinkedHashMap<>();
                for (String line : Files.readAllLines(log)) {
                    @Nullable HoldRecord record = parsed(line);
                    if (record != null && record.isHold()) {
                        holds.put(record.token(), record);
                    } else if (record != null) {
                        history.add(record);
                    }
                }
                holds.values().forEach(hold -> history.add(hold.end() == End.OPEN ? crashed(hold) : hold));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return history;
    }

    /** Reads a line of a log; returns null for one that is cut off, as the last line of a killed process may be. */
    private static @Nullable HoldRecord parsed(String line) {
        try {
            return HoldRecord.parse(line);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static HoldRecord crashed(HoldRecord open) {
        return new HoldRecord(
                open.client(),
                open.lock(),
                open.token(),
                open.requestedAt(),
                open.acquiredAt(),
                open.acquiredAt(),
                open.deadline(),
                End.CRASHED);
    }
}

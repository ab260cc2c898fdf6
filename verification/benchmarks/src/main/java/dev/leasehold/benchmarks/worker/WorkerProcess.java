package dev.leasehold.benchmarks.worker;

import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.server.StoreServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A worker process contends for a lock; this is what the runner sees of it. */
public final class WorkerProcess implements AutoCloseable {

    private static final String ENDED = "";

    private final Process process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private WorkerProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "worker-answers");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one; it has said {@code ready} when {@link #await} has returned. */
    public static WorkerProcess start(
            Peer peer, List<String> jvm, StoreServer server, String lock, Shape shape, Path log) throws IOException {
        List<String> arguments = List.of(peer.word(), server.kind().word(), server.uri(), lock, shape.encoded());
        Process process = java(jvm, WorkerMain.class, arguments)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new WorkerProcess(process);
    }

    /** Prepares a Java process with this one's class path. */
    public static ProcessBuilder java(List<String> jvm, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(jvm);
        command.add(main.getName());
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // It has ended.
        }
        answers.add(ENDED);
    }

    public void send(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a worker has ended", e);
        }
    }

    /** Returns the words behind the first of the next answer that begins so. */
    public String[] await(String first, long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String answer = answers.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (answer == null) {
                throw new IllegalStateException("a worker has not said '" + first + "' for " + seconds + " s");
            }
            if (answer.equals(ENDED)) {
                throw new IllegalStateException("a worker has ended instead of saying '" + first + "'");
            }
            String[] words = answer.split(" ", -1);
            if (words[0].equals(first)) {
                return words;
            }
        }
    }

    /** Kills it without a warning, as {@code kill -9} does. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

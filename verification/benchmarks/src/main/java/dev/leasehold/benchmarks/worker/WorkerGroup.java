package dev.leasehold.benchmarks.worker;

import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.server.StoreServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A worker group has the processes of one contestant. They live as long as the workload, so that all are warm when it
 * counts.
 */
public final class WorkerGroup implements AutoCloseable {

    /** So long after the command all threads are awake, on a machine that is not too busy. */
    private static final Duration LEAD = Duration.ofMillis(20);

    /** A cycle that was under way at the end of a turn may take so much longer. */
    private static final long MOST_SECONDS = 60;

    private final List<WorkerProcess> processes = new ArrayList<>();
    private final Path directory;

    private WorkerGroup(Path directory) {
        this.directory = directory;
    }

    /** Starts all processes and waits until each has its client and its locks. */
    public static WorkerGroup start(
            Peer peer, List<String> jvm, StoreServer server, String lock, Shape shape, Path directory, Path log)
            throws IOException, InterruptedException {
        WorkerGroup group = new WorkerGroup(directory);
        try {
            for (int i = 0; i < shape.processes(); i++) {
                group.processes.add(WorkerProcess.start(peer, jvm, server, lock, shape, log));
            }
            for (WorkerProcess process : group.processes) {
                process.await("ready", MOST_SECONDS);
            }
            return group;
        } catch (IOException | InterruptedException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    public List<WorkerProcess> processes() {
        return processes;
    }

    /** Lets all processes cycle for so long. */
    public Turn turn(Duration length) throws IOException, InterruptedException {
        long start = begin(length);
        return end(start, length, processes);
    }

    /** Begins a turn, and returns when it will have begun. */
    public long begin(Duration length) {
        long start = System.nanoTime() + LEAD.toNanos();
        for (int i = 0; i < processes.size(); i++) {
            processes.get(i).send("turn " + start + " " + (start + length.toNanos()) + " " + file(i));
        }
        return start;
    }

    /** Waits for the end of a turn that {@link #begin} has begun, in those of the processes that still live. */
    public Turn end(long start, Duration length, List<WorkerProcess> living) throws IOException, InterruptedException {
        List<Grant> grants = new ArrayList<>();
        long[] sums = new long[3];
        long compiling = 0;
        for (WorkerProcess process : living) {
            String[] words = process.await("done", length.toSeconds() + MOST_SECONDS);
            for (int i = 0; i < sums.length; i++) {
                sums[i] += Long.parseLong(words[i + 1]);
            }
            long own = Long.parseLong(words[sums.length + 1]);
            compiling = own < 0 || compiling < 0 ? -1 : compiling + own;
            int number = processes.indexOf(process);
            GrantLog.read(file(number), number, grants);
        }
        grants.sort(Comparator.comparingLong(Grant::given));
        return new Turn(grants, start, start + length.toNanos(), sums[0], sums[1], sums[2], compiling);
    }

    private Path file(int process) {
        return directory.resolve("grants-" + System.identityHashCode(this) + "-" + process);
    }

    @Override
    public void close() {
        processes.forEach(WorkerProcess::close);
        for (int i = 0; i < processes.size(); i++) {
            try {
                Files.deleteIfExists(file(i));
            } catch (IOException e) {
                // It goes with the directory.
            }
        }
    }
}

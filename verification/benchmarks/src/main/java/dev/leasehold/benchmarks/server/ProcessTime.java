package dev.leasehold.benchmarks.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * ProcessTime reads the processor time of other processes: on Linux in nanoseconds, elsewhere as finely as the system says
 * it.
 */
final class ProcessTime {

    private ProcessTime() {}

    /** Returns the time of a process with all its descendants. */
    static long withDescendants(long pid) {
        return ProcessHandle.of(pid)
                .map(process -> Stream.concat(Stream.of(process), process.descendants())
                        .mapToLong(ProcessTime::of)
                        .sum())
                .orElse(0L);
    }

    private static long of(ProcessHandle process) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.mapToLong(ProcessTime::ofThread).sum();
        } catch (IOException e) {
            return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
        }
    }

    private static long ofThread(Path thread) {
        try {
            String times = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(times.substring(0, times.indexOf(' ')));
        } catch (IOException e) {
            return 0; // It has ended meanwhile.
        }
    }
}

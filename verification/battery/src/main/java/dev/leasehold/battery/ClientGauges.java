package dev.leasehold.battery;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Client gauges tell what a client process has at one moment.
 *
 * @param heap the bytes in use after a collection
 * @param files open descriptors; -1 where the system does not tell
 */
record ClientGauges(long heap, int threads, long files) {

    private static final String MARK = "gauges ";

    /** Reads the gauges of this process, collected before. */
    static ClientGauges now() {
        System.gc();
        System.gc(); // What the first one had to give to a cleaner is gone now.
        return new ClientGauges(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                descriptors());
    }

    private static long descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            return -1;
        }
    }

    String toLine() {
        return MARK + heap + ' ' + threads + ' ' + files;
    }

    /** Returns all that a process has written to its console. */
    static List<ClientGauges> in(Path console) throws IOException {
        return Files.readAllLines(console).stream()
                .filter(line -> line.startsWith(MARK))
                .map(line -> line.split(" ", -1))
                .map(words -> new ClientGauges(
                        Long.parseLong(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3])))
                .toList();
    }
}

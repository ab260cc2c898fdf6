package dev.leasehold.benchmarks.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A grant log records the grants of one thread in a turn: when it asked, when it was granted, when it began to release.
 * Times are those of {@link System#nanoTime}, which all processes of a machine share. The memory is kept from turn to
 * turn, so that it costs nothing where it counts.
 */
final class GrantLog {

    private static final int FIELDS = 4;

    private long[] fields = new long[FIELDS << 10];
    private int used;

    void clear() {
        used = 0;
    }

    void add(long asked, long given, long releasing, long thread, boolean writer) {
        if (used == fields.length) {
            fields = Arrays.copyOf(fields, 2 * used);
        }
        fields[used] = asked;
        fields[used + 1] = given;
        fields[used + 2] = releasing;
        fields[used + 3] = 2 * thread + (writer ? 1 : 0);
        used += FIELDS;
    }

    int size() {
        return used / FIELDS;
    }

    static void write(List<GrantLog> logs, Path file) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.allocate(8 * logs.stream().mapToInt(log -> log.used).sum());
        for (GrantLog log : logs) {
            for (int i = 0; i < log.used; i++) {
                bytes.putLong(log.fields[i]);
            }
        }
        Files.write(file, bytes.array());
    }

    /** Adds what a process has written to the grants of a turn. */
    static void read(Path file, int process, List<Grant> grants) throws IOException {
        LongBuffer longs = ByteBuffer.wrap(Files.readAllBytes(file)).asLongBuffer();
        while (longs.hasRemaining()) {
            long asked = longs.get();
            long given = longs.get();
            long releasing = longs.get();
            long last = longs.get();
            grants.add(new Grant(asked, given, releasing, process, (int) (last / 2), last % 2 == 1));
        }
    }
}

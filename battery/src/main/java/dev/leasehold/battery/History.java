package dev.leasehold.battery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A history is a directory with a log per process, to which each writes its events as lines. A line is one write to a file
 * opened for appending, so what a process has written survives {@code kill -9}, but for a last line cut short. Thread-safe.
 */
final class History implements AutoCloseable {

    private final FileChannel log;

    private History(FileChannel log) {
        this.log = log;
    }

    /** Opens the log of one process. */
    static History open(Path directory, String process) throws IOException {
        return new History(FileChannel.open(
                directory.resolve(process + ".log"),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.WRITE));
    }

    void add(Event event) {
        try {
            log.write(ByteBuffer.wrap((event.toLine() + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads all logs of a directory, in order of time. What stands behind the last end of a line was cut short. */
    static List<Event> read(Path directory) throws IOException {
        List<Event> events = new ArrayList<>();
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "*.log")) {
            for (Path log : logs) {
                String text = Files.readString(log);
                text.substring(0, text.lastIndexOf('\n') + 1)
                        .lines()
                        .map(Event::parse)
                        .forEach(events::add);
            }
        }
        events.sort(Comparator.comparingLong(Event::at));
        return events;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}

package dev.leasehold.battery;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A history is a directory with a log per process, to which each writes its events as lines. A line is one write to a file
 * opened for appending, so what a process has written survives {@code kill -9}, but for a last line cut short. Thread-safe. It is not a
 * channel, because an interrupt of the thread that writes would close that.
 */
final class History implements AutoCloseable {

    private final OutputStream log;

    private History(OutputStream log) {
        this.log = log;
    }

    /** Opens the log of one process. */
    static History open(Path directory, String process) throws IOException {
        return new History(
                new FileOutputStream(directory.resolve(process + ".log").toFile(), true));
    }

    void add(Event event) {
        try {
            log.write((event.toLine() + "\n").getBytes(StandardCharsets.UTF_8));
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

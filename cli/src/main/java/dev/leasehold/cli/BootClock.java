package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The boot clock tells the time since this machine was started, in hundredths of a second: it is one clock for all its
 * processes, in Java and in the shell, that nobody sets and that goes on while the machine sleeps.
 */
final class BootClock {

    private static final Path UPTIME = Path.of("/proc/uptime");

    private BootClock() {}

    static boolean isPresent() {
        return Files.isReadable(UPTIME);
    }

    static long now() {
        try {
            return parse(Files.readString(UPTIME, StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the machine's uptime", e);
        }
    }

    static long parse(String uptime) {
        int dot = uptime.indexOf('.');
        return Long.parseLong(uptime, 0, dot, 10) * 100 + Long.parseLong(uptime, dot + 1, dot + 3, 10);
    }
}

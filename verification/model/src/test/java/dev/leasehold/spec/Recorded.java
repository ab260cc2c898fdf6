package dev.leasehold.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The record of what TLC has found, {@code checked.txt}: a line for each configuration, with a hash of all that the verdict
 * depends on, which is the module, the configuration, and the release of TLC.
 *
 * <p>TLC on one worker with one hash function finds the same each time. So a configuration whose hash is on record need not be
 * walked through in every build, however many states it has; one that has changed in a single character, or whose module has,
 * is not on record any more, and is checked again.
 */
final class Recorded {

    /** Configurations with more states are left to the extended run as long as their line is true. A JVM checks so many in a second. */
    private static final long LARGE = 5_000;

    private static final Path FILE = Path.of("src", "test", "resources", "checked.txt");

    private final Map<String, String> lines = new ConcurrentSkipListMap<>();
    private final ReentrantLock writing = new ReentrantLock();

    static Recorded read() {
        Recorded recorded = new Recorded();
        try {
            for (String line : Files.readAllLines(FILE)) {
                String[] parts = line.split(" ", 2);
                recorded.lines.put(parts[0], parts[1]);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return recorded;
    }

    /** Returns whether the model takes long, and is as it was when it was recorded. */
    boolean isLargeAndUnchanged(Path module, Path configuration) {
        String line = lines.get(name(configuration));
        return line != null
                && line.endsWith(' ' + hash(module, configuration))
                && Long.parseLong(line.substring(0, line.indexOf(' '))) > LARGE;
    }

    boolean has(Path configuration) {
        return lines.containsKey(name(configuration));
    }

    /** States generated and distinct, depth, and the verdict, as on record. */
    String counts(String name) {
        String line = lines.getOrDefault(name, "nothing");
        return line.substring(0, line.lastIndexOf(' ') + 1).trim();
    }

    /** Returns what TLC has found now, as it stands in a line. */
    static String counts(Tlc.Result result) {
        return "%d %d %d %s"
                .formatted(
                        result.generated(),
                        result.distinct(),
                        result.depth(),
                        result.violated().orElse(result.completed() ? "holds" : "unknown"));
    }

    /** Keeps what TLC has found in the file. */
    void write(Path module, Path configuration, Tlc.Result result) {
        lines.put(name(configuration), counts(result) + ' ' + hash(module, configuration));
        writing.lock();
        try {
            String all = lines.entrySet().stream()
                    .map(line -> line.getKey() + ' ' + line.getValue() + '\n')
                    .collect(Collectors.joining());
            Files.writeString(FILE, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writing.unlock();
        }
    }

    static String name(Path configuration) {
        return configuration.getParent().getFileName() + "/"
                + configuration.getFileName().toString().replace(".cfg", "");
    }

    private static String hash(Path module, Path configuration) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(module));
            digest.update(Files.readAllBytes(configuration));
            digest.update(Tlc.release().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Server files are where servers are unpacked to; this also removes the directory of one. */
final class ServerFiles {

    private ServerFiles() {}

    /** In {@code target}, where the classes, or the jar of them, are too. */
    static Path besideClasses(String name) {
        try {
            return Path.of(ServerFiles.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling(name);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Iterator;
import java.util.stream.Stream;

/**
 * Server files are where servers are unpacked to, and what an empty server has on disk: to set a database up takes more than
 * a second of processor time, to copy one takes less than a tenth.
 */
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

    /** Copies what was kept under this name to a directory that is not there yet; returns false if nothing was. */
    static boolean takeKept(String name, Path directory) throws IOException {
        Path kept = besideClasses(name);
        if (!Files.exists(kept)) {
            return false;
        }
        copy(kept, directory);
        return true;
    }

    /** Keeps a copy of a directory that has just been set up, all of it or nothing, unless there is one. */
    static void keep(Path directory, String name) throws IOException {
        Path kept = besideClasses(name);
        if (Files.exists(kept)) {
            return;
        }
        Path made = Files.createTempDirectory(kept.getParent(), name);
        copy(directory, made.resolve("copy"));
        if (!made.resolve("copy").toFile().renameTo(kept.toFile()) && !Files.exists(kept)) {
            throw new IOException(kept + " cannot be made");
        }
        delete(made);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Iterator<Path> each = files.iterator(); each.hasNext(); ) {
                Path file = each.next();
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            }
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

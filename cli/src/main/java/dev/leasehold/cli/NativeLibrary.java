package dev.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * NativeLibrary keeps SQLite's native library unpacked beside the program. By itself the driver unpacks it to the temporary
 * directory at each start, and a killed process leaves its copy there.
 */
final class NativeLibrary {

    /** Set by the launcher: a directory of this version of the program, or nothing. */
    private static final String CACHE = "leasehold.cache";

    private NativeLibrary() {}

    /** Prepares the copy. It never fails: without a copy the driver unpacks its own. */
    static void prepare() {
        String cache = System.getProperty(CACHE);
        if (cache == null || System.getProperty("org.sqlite.lib.path") != null) {
            return;
        }
        String file = System.mapLibraryName("sqlitejdbc");
        Path directory = Path.of(cache, "native");
        try {
            if (!Files.exists(directory.resolve(file))) {
                String resource = resource(file);
                if (resource == null) {
                    return;
                }
                unpack(resource, directory, file);
            }
            System.setProperty("org.sqlite.lib.path", directory.toString());
        } catch (IOException | RuntimeException e) {
            // A read-only installation, or another driver: slower, but it works.
        }
    }

    private static @Nullable String resource(String file) {
        try {
            Object folder = Class.forName("org.sqlite.util.OSInfo")
                    .getMethod("getNativeLibFolderPathForCurrentOS")
                    .invoke(null);
            return "/org/sqlite/native/" + folder + "/" + file;
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    private static void unpack(String resource, Path directory, String file) throws IOException {
        try (InputStream library = NativeLibrary.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new IOException("no native library for this machine");
            }
            Files.createDirectories(directory);
            Path unpacked = Files.createTempFile(directory, file, ".new");
            try {
                Files.copy(library, unpacked, StandardCopyOption.REPLACE_EXISTING);
                Files.move(unpacked, directory.resolve(file), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(unpacked);
            }
        }
    }
}

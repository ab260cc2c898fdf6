package dev.leasehold.jdbc;

import dev.leasehold.jdbc.sqlite.SqliteFactory;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/**
 * The SQLite store provider makes the store of {@code sqlite:PATH} URIs: locks in one SQLite file, shared by the processes
 * of one machine. What it guarantees is said in the {@linkplain dev.leasehold.jdbc description of the package}.
 *
 * <p>PATH is taken as it stands, without percent-decoding; a relative one counts from the working directory. There are no
 * options. Found with {@link java.util.ServiceLoader}; there is no need to use this class. Thread-safe.
 */
public final class SqliteStoreProvider implements StoreProvider {

    private static final String EXAMPLE = "for example sqlite:/var/lib/app/locks.db";

    /** Makes the provider. */
    public SqliteStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("sqlite");
    }

    @Override
    public StoreFactory create(StoreUri uri) {
        if (uri.options().containsKey("sessionLocks")) {
            throw new IllegalArgumentException("leasehold.sessionLocks in '" + uri + "' is for PostgreSQL, MariaDB and"
                    + " MySQL; SQLite has no locks that belong to a session. Leave it out");
        }
        if (!uri.options().isEmpty()) {
            throw new IllegalArgumentException("unknown option leasehold."
                    + uri.options().keySet().stream().sorted().findFirst().orElseThrow() + " for the store " + uri
                    + ": sqlite: stores have none of their own");
        }
        String path = uri.text().substring(uri.text().indexOf(':') + 1);
        refuseWhatIsNoPath(path, uri);
        try {
            return new SqliteFactory(Path.of(path).toAbsolutePath());
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + uri + "' does not name a file: " + e.getReason(), e);
        }
    }

    private static void refuseWhatIsNoPath(String path, StoreUri uri) {
        if (path.isBlank()) {
            throw new IllegalArgumentException("'" + uri + "' has no path: name the file, " + EXAMPLE);
        }
        if (path.indexOf('?') >= 0) {
            String shown = uri.toString(); // Without passwords, unlike the path.
            throw new IllegalArgumentException("unknown option '" + shown.substring(shown.indexOf('?') + 1) + "' in '"
                    + shown + "': sqlite: stores have none of their own, and the path cannot contain '?'");
        }
        if (path.startsWith("//") && !path.startsWith("///")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' names a host: an embedded store is a file of this machine, " + EXAMPLE);
        }
        if (path.startsWith("~")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' begins with '~', which only a shell replaces: write the whole path, " + EXAMPLE);
        }
        if (path.startsWith(":memory:")) {
            throw new IllegalArgumentException("'" + uri + "' is no file: for locks in memory write memory:");
        }
    }
}

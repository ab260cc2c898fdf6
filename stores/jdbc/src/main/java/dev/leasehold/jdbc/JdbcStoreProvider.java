package dev.leasehold.jdbc;

import dev.leasehold.jdbc.connection.OwnPool;
import dev.leasehold.jdbc.doctor.ExistingH2;
import dev.leasehold.jdbc.server.JdbcSettings;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC store provider makes the stores of {@code jdbc:} URLs, each with a small pool of connections of its own. The URL
 * is the driver's, who has to be on the class path; beside it these options are ours: {@code leasehold.dialect}, {@code
 * leasehold.schema}, {@code leasehold.tables} (what their names begin with), {@code leasehold.initializeSchema} ({@code
 * always} or {@code never}), {@code leasehold.connections}, {@code leasehold.listen} and {@code leasehold.sessionLocks}
 * ({@code true} or {@code false}), {@code leasehold.password}. See {@link JdbcStore}.
 *
 * <p>Found with {@link java.util.ServiceLoader}; there is no need to use this class. Thread-safe.
 */
public final class JdbcStoreProvider implements StoreProvider {

    /** Makes the provider. */
    public JdbcStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public StoreFactory create(StoreUri uri) {
        String url = "jdbc:" + uri.text().substring(uri.text().indexOf(':') + 1);
        if (url.startsWith("jdbc:sqlite:")) {
            throw new IllegalArgumentException("'" + uri + "': for SQLite write sqlite:PATH");
        }
        if (url.split(":", 3).length < 3) {
            throw new IllegalArgumentException(
                    "'" + uri + "' is no JDBC URL: write for example jdbc:postgresql://HOST/DATABASE?user=USER");
        }
        Map<String, String> options = new HashMap<>(uri.options());
        JdbcSettings standard = JdbcSettings.DEFAULT;
        String dialect = options.remove("dialect");
        String schema = options.remove("schema");
        String tables = options.remove("tables");
        String password = options.remove("password");
        JdbcSettings settings = new JdbcSettings(
                dialect == null ? null : JdbcDialect.named(dialect).product(),
                schema,
                tables == null ? standard.prefix() : tables,
                choice("initializeSchema", options.remove("initializeSchema"), "always", "never"),
                number("connections", options.remove("connections"), standard.connections()),
                choice("listen", options.remove("listen"), "true", "false"),
                flag("sessionLocks", options.remove("sessionLocks")));
        if (!options.isEmpty()) {
            throw new IllegalArgumentException("unknown option leasehold."
                    + options.keySet().stream().sorted().findFirst().orElseThrow() + " in '" + uri
                    + "'; known are dialect, schema, tables, initializeSchema, connections, listen, password,"
                    + " sessionLocks");
        }
        if (settings.sessionLocks() && url.startsWith("jdbc:h2:")) {
            throw new IllegalArgumentException(
                    "'" + uri + "': leasehold.sessionLocks is for PostgreSQL, MariaDB and MySQL;"
                            + " H2 has no locks that belong to a session. Leave it out");
        }
        String existing = ExistingH2.url(url);
        return new JdbcStore(
                uri.toString(),
                (most, databaseTimeout) -> new OwnPool(url, password, most, databaseTimeout),
                (most, databaseTimeout) -> new OwnPool(existing, password, most, databaseTimeout),
                settings);
    }

    private static boolean choice(String option, @Nullable String value, String yes, String no) {
        if (value == null || value.equals(yes)) {
            return true;
        }
        if (value.equals(no)) {
            return false;
        }
        throw new IllegalArgumentException(
                "option leasehold." + option + " must be " + yes + " or " + no + ", but was '" + value + "'");
    }

    private static boolean flag(String option, @Nullable String value) {
        return value != null && choice(option, value, "true", "false");
    }

    private static int number(String option, @Nullable String value, int standard) {
        try {
            return value == null ? standard : Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "option leasehold." + option + " must be a whole number, but was '" + value + "'", e);
        }
    }
}

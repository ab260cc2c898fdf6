package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.Tables;
import org.jspecify.annotations.Nullable;

/**
 * JDBC settings tell how a store uses its database.
 *
 * @param dialect null to ask the connection
 * @param schema where the tables are; null for where the connection looks first
 * @param prefix what the tables' names begin with
 * @param initialize whether to make the tables where they are missing
 * @param connections how many connections are used at most, the one that listens not counted
 * @param listen whether one more connection may be kept to listen on
 * @param sessionLocks whether the database's own locks, held by a session, decide
 */
public record JdbcSettings(
        @Nullable Product dialect,
        @Nullable String schema,
        String prefix,
        boolean initialize,
        int connections,
        boolean listen,
        boolean sessionLocks) {

    static final int MOST_CONNECTIONS = 64;

    public static final JdbcSettings DEFAULT = new JdbcSettings(null, null, Tables.PREFIX, true, 8, true, false);

    /** Checks the parts. */
    public JdbcSettings {
        if (schema != null) {
            Tables.checked("the schema", schema);
        }
        Tables.checked("the prefix of the tables", prefix);
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new IllegalArgumentException(
                    "connections must be 1 to " + MOST_CONNECTIONS + ", but was " + connections);
        }
    }
}

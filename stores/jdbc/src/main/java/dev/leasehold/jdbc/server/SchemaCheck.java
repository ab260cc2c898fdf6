package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.DatabaseRights;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.LookAlike;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.Tables;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A schema check finds out what a database is and whether its tables are those that this version knows; it makes them if it
 * may. A layout is never changed: a version that needs another one refuses this, and so versions that know the same can
 * work side by side.
 *
 * <p>Where the tables are is found out once, and every statement names the schema: connections of one pool may look in
 * different schemas, and a lock in the one excludes nobody in the other. For the same reason tables that were there once are
 * never made again.
 */
public final class SchemaCheck {

    public static final long CURRENT = 1;

    private static final int MOST_TRIES = 5;
    private static final long PAUSE_NANOS = 50_000_000;

    /**
     * A found schema is a database, and the tables in it, as a store has found them.
     *
     * @param otherIsolation whether connections may come at another isolation level than READ COMMITTED
     * @param place names the database and the tables in it, for clients of the same JVM to find each other
     * @param throughPooler whether a pooler is in between, which may lend sessions per transaction
     */
    record Found(ServerSql texts, boolean otherIsolation, String place, boolean throughPooler) {}

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private final JdbcSettings settings;
    private final String store;
    private @Nullable Tables known;
    private volatile String user = "…";

    SchemaCheck(JdbcSettings settings, String store) {
        this.settings = settings;
        this.store = store;
    }

    /** Looks for the tables. Not for two threads at once. */
    Found find(PooledConnection borrowed) throws SQLException {
        Connection connection = borrowed.connection();
        Dialect dialect = product(connection, borrowed.sql()).rules();
        dialect.check(connection, borrowed.sql());
        boolean throughPooler = dialect.isThroughPooler(connection, borrowed.sql());
        if (throughPooler) {
            borrowed.keepNoStatements(dialect); // The driver would keep the COMMIT of the tables that are made.
            LOG.log(
                    Level.INFO,
                    "the store {0} is reached through a pooler: nothing is set in its sessions, waiters poll",
                    store);
        }
        Tables before = known;
        Tables tables = before != null ? before : placed(borrowed, dialect);
        user = dialect.user(borrowed.sql());
        Long layout = ours(borrowed, tables);
        if (layout == null && before == null && settings.initialize()) {
            layout = create(borrowed, tables);
        }
        if (layout == null) {
            throw missing(tables, null);
        }
        if (layout != CURRENT) {
            throw new LockException("the tables of the store " + store + " have layout " + layout
                    + ", and this version of Leasehold knows layout " + CURRENT
                    + "; they were not changed, and nothing was locked. Use "
                    + (layout > CURRENT ? "a newer version of Leasehold" : "other tables (leasehold.tables=…)"));
        }
        if (before == null) {
            checkRights(borrowed, tables);
            LOG.log(Level.INFO, "the store {0} has its tables in {1}: {2}", store, tables.schema(), tables.in("$lock"));
        }
        known = tables;
        // A pooler's sessions are not ours to set, and the protocol is right at other levels, too.
        boolean other = dialect.needsReadCommitted()
                || (!throughPooler && connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED);
        String place = connection.getMetaData().getURL() + " " + connection.getCatalog() + " " + tables.in("$lock");
        return new Found(new ServerSql(tables), other, place, throughPooler);
    }

    /** Takes the dialect that was named, by somebody who vouches for the database; else asks it. */
    private Product product(Connection connection, Sql sql) throws SQLException {
        Product chosen = settings.dialect();
        if (chosen != null) {
            return chosen;
        }
        Product product = Product.of(connection.getMetaData());
        LookAlike other = LookAlike.of(product, sql);
        if (other != null) {
            throw other.refusal();
        }
        return product;
    }

    private Tables placed(PooledConnection borrowed, Dialect dialect) throws SQLException {
        Tables named = new Tables(dialect, settings.schema(), settings.prefix());
        return named.schema() != null
                ? named
                : new Tables(dialect, dialect.schemaOf(borrowed.sql(), named), settings.prefix());
    }

    /** One of the tables may be missing, although the layout is there. */
    private void checkRights(PooledConnection borrowed, Tables tables) throws SQLException {
        try {
            DatabaseRights.check(borrowed.sql(), tables, store);
        } catch (SQLException e) {
            if (!tables.dialect().isMissingTable(e)) {
                throw e;
            }
            if (!settings.initialize()) {
                throw missing(tables, null);
            }
            create(borrowed, tables);
            DatabaseRights.check(borrowed.sql(), tables, store);
        }
    }

    private @Nullable Long ours(PooledConnection borrowed, Tables tables) throws SQLException {
        try {
            return layout(borrowed, tables);
        } catch (SQLException e) {
            if (tables.dialect().isDenied(e)) {
                throw denied(tables, e);
            }
            if (DatabaseRights.isNotOurs(e)) {
                throw DatabaseRights.foreign(e, tables, store);
            }
            throw e;
        }
    }

    /** Returns the schema version, or null if the tables are missing. */
    public static @Nullable Long layout(PooledConnection borrowed, Tables tables) throws SQLException {
        try {
            if (!tables.dialect().mayHave(borrowed.sql(), tables.in("$layout"))) {
                return null;
            }
            // Zero is in an empty table, which somebody is just filling.
            long layout = borrowed.sql().number(tables.in("SELECT COALESCE(MAX(layout), 0) FROM $layout"));
            return layout == 0 ? null : layout;
        } catch (SQLException e) {
            if (tables.dialect().isMissingTable(e)) {
                return null;
            }
            throw e;
        }
    }

    /** Makes the tables, and returns their layout; another client may be at it at the same time. */
    private @Nullable Long create(PooledConnection borrowed, Tables tables) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                runStatements(borrowed, tables);
                LOG.log(Level.INFO, "the store {0} had no tables, and has made them", store);
                return layout(borrowed, tables);
            } catch (SQLException e) {
                if (Sql.isBroken(e)) {
                    throw e;
                }
                Long made = layout(borrowed, tables);
                if (made != null) {
                    return made;
                }
                if (tries == MOST_TRIES) {
                    throw missing(tables, e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static void runStatements(PooledConnection borrowed, Tables tables) throws SQLException {
        borrowed.autoCommit(false);
        try {
            String before = tables.dialect().beforeCreating();
            if (before != null) {
                borrowed.sql().run(before);
            }
            for (String statement : tables.statements()) {
                borrowed.sql().run(statement);
            }
            borrowed.connection().commit();
        } finally {
            borrowed.rollBack();
            borrowed.autoCommit(true);
        }
    }

    LockException denied(Tables tables, SQLException e) {
        return DatabaseRights.refusal(String.valueOf(e.getMessage()), store, tables, user, e);
    }

    LockException missing(Tables tables, @Nullable SQLException cause) {
        String why = cause == null ? "" : ", and could not be made: " + cause;
        return new LockException(
                "the store " + store + " misses the table " + tables.in("$lock") + " or one of those beside it" + why
                        + "; nothing was locked. Let somebody who may do so run:\n\n" + tables.ddl() + "\n"
                        + tables.grants(user),
                cause);
    }
}

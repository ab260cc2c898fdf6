package dev.leasehold.jdbc;

import dev.leasehold.LockException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a database is and whether its tables are those that this version knows; makes them if it may. A layout is
 * never changed: whoever needs another one refuses this, and so versions that know the same can work side by side.
 */
final class Layout {

    static final long CURRENT = 1;

    /**
     * What a store has found.
     *
     * @param otherIsolation whether connections come at another isolation level than READ COMMITTED
     * @param place names the database and the tables in it, for clients of the same JVM to find each other
     */
    record Found(ServerSql texts, boolean otherIsolation, String place) {}

    private final JdbcSettings settings;
    private final String store;

    Layout(JdbcSettings settings, String store) {
        this.settings = settings;
        this.store = store;
    }

    Found find(Borrowed borrowed) throws SQLException {
        Connection connection = borrowed.connection();
        JdbcDialect known = settings.dialect();
        Dialect dialect = (known != null ? known : JdbcDialect.of(connection.getMetaData())).rules();
        dialect.check(connection, borrowed.sql());
        Tables tables = new Tables(dialect, settings.schema(), settings.prefix());
        Long layout = layout(borrowed, tables);
        if (layout == null && settings.initialize()) {
            create(borrowed, tables);
            layout = layout(borrowed, tables);
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
        boolean other = connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED;
        String place = connection.getMetaData().getURL() + " " + connection.getCatalog() + " " + tables.in("$lock");
        return new Found(new ServerSql(tables), other, place);
    }

    private static @Nullable Long layout(Borrowed borrowed, Tables tables) throws SQLException {
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

    private void create(Borrowed borrowed, Tables tables) throws SQLException {
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
        } catch (SQLException e) {
            borrowed.rollBack();
            if (!Dialect.isBroken(e) && !tables.dialect().isRetryable(e)) {
                throw missing(tables, e);
            }
            throw e;
        } finally {
            borrowed.autoCommit(true);
        }
    }

    LockException missing(Tables tables, @Nullable SQLException cause) {
        String why = cause == null ? "" : ", and could not be made: " + cause;
        return new LockException(
                "the store " + store + " misses the table " + tables.in("$lock") + " or one of those beside it" + why
                        + "; nothing was locked. Let somebody who may do so run:\n\n" + tables.ddl(),
                cause);
    }
}

package dev.leasehold.jdbc.fence;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;

/**
 * A fence registration is the way in which a token of somebody who has the resource alone is registered in the caller's
 * transaction, unless there is a newer one; each answers with the newest. {@link SharedRegistration} says how readers do it.
 *
 * <p>Why it is right. Each registration, also of a token that is there already, first locks the resource's row and keeps it
 * until the transaction ends. So the guarded transactions of one resource are one after the other from there on, each with a
 * token that is not smaller than that of the one before; a rolled-back one has done nothing. What remains is that a
 * transaction must see what those before it have committed, although it may have waited for them:
 *
 * <ul>
 *   <li>READ COMMITTED: each statement sees what was committed before it began, so those after the registration do.
 *   <li>PostgreSQL above that: the view is as old as the transaction's first statement. But each registration changes the row,
 *       and a change of a row that was changed since the view was taken fails (40001), after a wait or without one.
 *   <li>MariaDB, MySQL at REPEATABLE READ: locking reads and changes see what is there now and take no view; the first plain
 *       read does. If that came before the registration, nothing fails by itself. So registrations are counted in the row, and
 *       the count that a locking read sees is compared with the one in the view. At SERIALIZABLE all reads lock.
 *   <li>H2 above that: a locking read of a row that was changed since its view was taken fails (40001); a change of it does
 *       not always. So the locking read comes first, and each registration changes the row. At REPEATABLE READ each table has
 *       a view of its own: one that was taken before the registration is not noticed, one that is taken after it is right.
 *   <li>SQLite: there is one writer at a time, and a transaction that has read before cannot become it if there was another one
 *       since (SQLITE_BUSY).
 * </ul>
 *
 * <p>The first two registrations of a resource meet in the table's key: the second waits for the first, and then finds its row.
 * On PostgreSQL an error would end the caller's transaction, hence {@code ON CONFLICT}.
 */
final class FenceRegistration {

    private FenceRegistration() {}

    /** Registers in PostgreSQL and SQLite. The row is locked also where the condition keeps it from being changed. */
    static long upserting(Sql sql, String table, Object resource, long token) throws SQLException {
        int changed = sql.change(
                "INSERT INTO " + table + " AS kept (resource, token, exclusive) VALUES (?, ?, ?) ON CONFLICT (resource)"
                        + " DO UPDATE SET token = excluded.token, exclusive = excluded.exclusive"
                        + " WHERE kept.token <= excluded.token",
                resource,
                token,
                token);
        return changed == 1 ? token : sql.number("SELECT token FROM " + table + " WHERE resource = ?", resource);
    }

    /** Registers in MariaDB and MySQL. */
    static long countingTurns(Sql sql, String table, Object resource, long token) throws SQLException {
        Kept kept = lockedAndCounted(sql, table, resource, token, token);
        return kept.token() > token ? kept.token() : take(sql, table, resource, token);
    }

    /** The insert locks a row that is there, and does not change it. */
    static Kept lockedAndCounted(Sql sql, String table, Object resource, long token, long exclusive)
            throws SQLException {
        sql.change(
                "INSERT INTO " + table
                        + " (resource, token, exclusive, turns) VALUES (?, ?, ?, 0) ON DUPLICATE KEY UPDATE token = token",
                resource,
                token,
                exclusive);
        String select = "SELECT token, exclusive, turns FROM " + table + " WHERE resource = ?";
        Kept kept = sql.first(select + " FOR UPDATE", Kept::read, resource);
        Kept seen = sql.first(select, Kept::read, resource);
        if (kept == null || !kept.equals(seen)) {
            throw viewIsOlder(resource);
        }
        return kept;
    }

    /** Registers in H2. */
    static long lockingFirst(Sql sql, String table, Object resource, long token) throws SQLException {
        Kept kept = locked(sql, table, resource, token, token);
        return kept.token() > token ? kept.token() : take(sql, table, resource, token);
    }

    /** Returns the row, locked, and made if there is none. */
    static Kept locked(Sql sql, String table, Object resource, long token, long exclusive) throws SQLException {
        while (true) {
            Kept kept = sql.first(
                    "SELECT token, exclusive, turns FROM " + table + " WHERE resource = ? FOR UPDATE",
                    Kept::read,
                    resource);
            if (kept != null) {
                return kept;
            }
            try {
                sql.change(
                        "INSERT INTO " + table + " (resource, token, exclusive, turns) VALUES (?, ?, ?, 0)",
                        resource,
                        token,
                        exclusive);
                return new Kept(token, exclusive, 0);
            } catch (SQLException e) {
                if (!Product.H2.rules().isDuplicate(e)) {
                    throw e;
                }
                if (sql.isolation() > Connection.TRANSACTION_READ_COMMITTED) {
                    throw viewIsOlder(resource);
                }
            }
        }
    }

    private static long take(Sql sql, String table, Object resource, long token) throws SQLException {
        sql.change(
                "UPDATE " + table + " SET token = ?, exclusive = ?, turns = turns + 1 WHERE resource = ?",
                token,
                token,
                resource);
        return token;
    }

    static SQLException viewIsOlder(Object resource) {
        String name =
                resource instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : resource.toString();
        return new SQLTransactionRollbackException(
                "the transaction's view of the database is older than the last registration for '" + name
                        + "', so what it has read and will read may be out of date; nothing was registered. Roll back and run it"
                        + " again, with the registration as its first statement",
                "40001");
    }

    /** A kept row says what was registered: the newest token of all, the newest of those who had the resource alone. */
    record Kept(long token, long exclusive, long turns) {

        static Kept read(ResultSet row) throws SQLException {
            return new Kept(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }
}

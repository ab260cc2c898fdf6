package dev.leasehold.jdbc.fence;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.fence.FenceRegistration.Kept;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A shared registration is the way in which a reader's token is registered in the caller's transaction, unless somebody who
 * had the resource alone came with a newer one; each answers with that one's, or the reader's own if it is greater.
 *
 * <p>A reader has to raise the newest token if its own is greater, so that older writers are refused from then on. That changes
 * the row, and keeps everybody else waiting until the transaction ends. Where the token is not greater there is nothing to
 * change, and the reader only has to see to it that no writer is in the middle of its work: it takes the row shared. It must
 * know which of the two before it takes the row at all: two that have it shared and want to change it wait for each other.
 *
 * <ul>
 *   <li>PostgreSQL: an update with the condition that the own token is greater leaves a row alone that does not fulfil it, and
 *       does not wait for it. Then the row is taken shared; above READ COMMITTED that fails (40001) if the row was changed since
 *       the view was taken.
 *   <li>MariaDB, MySQL: only a plain read tells without locking. At READ COMMITTED it is over with the statement. Above that it
 *       would take the transaction's view before the row is locked, and the reader would have to fail where it can wait: so
 *       there all readers take the row alone, as writers do.
 *   <li>H2 has no shared locks of rows.
 *   <li>SQLite: a plain read takes the view, and is enough. A writer that is in the middle of writing has begun after the newest
 *       token was committed, and was refused if its own is older.
 * </ul>
 */
final class SharedRegistration {

    private SharedRegistration() {}

    /** Registers in PostgreSQL. */
    static long raisingFirst(Sql sql, String table, Object resource, long token) throws SQLException {
        while (true) {
            if (sql.change(
                            "UPDATE " + table + " SET token = ? WHERE resource = ? AND token < ?",
                            token,
                            resource,
                            token)
                    == 1) {
                return token; // Newer than all.
            }
            Pair kept = read(sql, table, resource, " FOR SHARE");
            if (kept != null) {
                return checked(kept, resource, token);
            }
            if (sql.change(
                            "INSERT INTO " + table
                                    + " (resource, token, exclusive) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
                            resource,
                            token)
                    == 1) {
                return token;
            }
        }
    }

    /** Registers in MariaDB and MySQL. */
    static long lookingFirst(Sql sql, String table, Object resource, long token) throws SQLException {
        if (sql.isolation() <= Connection.TRANSACTION_READ_COMMITTED) {
            Pair seen = read(sql, table, resource, "");
            if (seen != null && seen.token() >= token) {
                return checked(read(sql, table, resource, " LOCK IN SHARE MODE"), resource, token);
            }
        }
        Kept kept = FenceRegistration.lockedAndCounted(sql, table, resource, token, 0);
        return raise(sql, table, resource, token, kept);
    }

    /** Registers in H2. */
    static long lockingFirst(Sql sql, String table, Object resource, long token) throws SQLException {
        return raise(sql, table, resource, token, FenceRegistration.locked(sql, table, resource, token, 0));
    }

    private static long raise(Sql sql, String table, Object resource, long token, Kept kept) throws SQLException {
        if (kept.token() < token) {
            sql.change("UPDATE " + table + " SET token = ?, turns = turns + 1 WHERE resource = ?", token, resource);
        }
        return Math.max(token, kept.exclusive());
    }

    /** Registers in SQLite. */
    static long readingFirst(Sql sql, String table, Object resource, long token) throws SQLException {
        Pair kept = read(sql, table, resource, "");
        if (kept != null && kept.token() >= token) {
            return Math.max(token, kept.exclusive());
        }
        sql.change(
                "INSERT INTO " + table + " AS kept (resource, token, exclusive) VALUES (?, ?, 0) ON CONFLICT (resource)"
                        + " DO UPDATE SET token = excluded.token WHERE kept.token < excluded.token",
                resource,
                token);
        return token;
    }

    private static @Nullable Pair read(Sql sql, String table, Object resource, String locking) throws SQLException {
        return sql.first(
                "SELECT token, exclusive FROM " + table + " WHERE resource = ?" + locking, Pair::read, resource);
    }

    /** Only a reset brings the newest token back; then it is too late to raise it. */
    private static long checked(@Nullable Pair kept, Object resource, long token) throws SQLException {
        if (kept == null || kept.token() < token) {
            throw FenceRegistration.viewIsOlder(resource);
        }
        return Math.max(token, kept.exclusive());
    }

    private record Pair(long token, long exclusive) {

        static Pair read(ResultSet row) throws SQLException {
            return new Pair(row.getLong(1), row.getLong(2));
        }
    }
}

package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.TxContext;
import java.sql.SQLException;

/**
 * Foreign boot leases are those that another boot of the machine has written; this decides when their rows end.
 *
 * <p>Its clock cannot be read here, so the time left of such a row is unknown, but it is at most the span that the writer
 * had left when it wrote. Therefore the row ends one full span after this boot first saw it. That moment is kept in the
 * database, or processes that live for a second would start the wait anew each time. It is kept per boot that looks, or
 * two lookers would take turns in starting it anew. It belongs to one version of the row (writer, token, end): a holder
 * that is alive under another clock and renews writes a new version, and that is waited for in full again.
 */
final class ForeignBootLeases {

    private final Sql sql;

    ForeignBootLeases(Sql sql) {
        this.sql = sql;
    }

    long end(long lock, String boot, long token, long writtenEnd, long span, TxContext now, boolean remember)
            throws SQLException {
        Long known = sql.first(
                "SELECT ends FROM leasehold_sighting WHERE lock = ? AND token = ? AND boot = ? AND seen_boot = ?"
                        + " AND seen_ends = ?",
                found -> found.getLong(1),
                lock,
                token,
                now.boot(),
                boot,
                writtenEnd);
        if (known != null) {
            return known;
        }
        long ends = now.micros() + span;
        if (remember) {
            sql.change(
                    "INSERT OR REPLACE INTO leasehold_sighting (lock, token, boot, seen_boot, seen_ends, ends)"
                            + " VALUES (?, ?, ?, ?, ?, ?)",
                    lock,
                    token,
                    now.boot(),
                    boot,
                    writtenEnd,
                    ends);
        }
        return ends;
    }

    /** Forgets one holder of those that share a lock. */
    void forget(long lock, long token) throws SQLException {
        sql.change("DELETE FROM leasehold_sighting WHERE lock = ? AND token = ?", lock, token);
    }

    void forget(long lock) throws SQLException {
        sql.change("DELETE FROM leasehold_sighting WHERE lock = ?", lock);
    }
}

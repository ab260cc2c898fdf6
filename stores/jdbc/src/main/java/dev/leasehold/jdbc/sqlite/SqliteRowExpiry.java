package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.TxContext;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * SQLite row expiry removes the rows of locks that nobody has used for two days, so that names that are used once do not stay
 * for ever.
 *
 * <p>Each new row pays for a look at a few old ones, in the order in which they were made, from a random start: the cost
 * is bounded, and what nobody adds to does not grow. A row carries the last token; without it tokens begin again at the
 * wall clock. That is greater, because a row is removed only if its last token is two days behind the wall clock.
 */
final class SqliteRowExpiry {

    private static final Duration IDLE = Duration.ofDays(2);
    private static final long STEP = 8;

    private final SqliteLockRows locks;
    private final SqliteWaiterRows waiters;
    private long cursor = -1;

    SqliteRowExpiry(SqliteLockRows locks, SqliteWaiterRows waiters) {
        this.locks = locks;
        this.waiters = waiters;
    }

    void step(LockRow added, TxContext now) throws SQLException {
        long newest = added.id();
        if (cursor < 0) {
            cursor = new SplittableRandom().nextLong(newest);
        }
        List<LockRow> rows = locks.after(cursor, STEP, now);
        for (LockRow row : rows) {
            cursor = row.id();
            if (!row.holders().isEmpty()
                    || row.id() == newest
                    || row.last() > now.wallMicros() - TxContext.micros(IDLE)) {
                continue;
            }
            if (row.waited()) {
                waiters.removeExpired(row, now);
            }
            if (!row.waited() || waiters.first(row) == null) {
                locks.delete(row);
            }
        }
        if (rows.size() < STEP) {
            cursor = 0;
        }
    }
}

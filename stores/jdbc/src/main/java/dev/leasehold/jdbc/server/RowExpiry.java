package dev.leasehold.jdbc.server;

import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.TxContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Row expiry removes the rows of locks that nobody has used for two days, so that names that are used once do not stay for
 * ever. Thread-safe.
 *
 * <p>About every eighth new row pays for a look at 64 rows of its namespace, which go on from where the last look
 * ended, at first from the new row's own name: the cost is bounded, and what nobody adds to does not grow. A row
 * carries the last token; without it tokens begin again at the database's clock. That is greater, because a row is
 * removed only if its last token is two days behind that clock: that covers a clock that is set by a whole time zone, there
 * and back. The removal is one statement, which looks again: a row
 * whose lock was used meanwhile no longer matches. Holders that are over and were left behind go after it: those with
 * tokens up to its last, so that none that came since is among them.
 */
final class RowExpiry {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final Duration IDLE = Duration.ofDays(2);
    private static final int ONE_IN = 8;

    private record Old(String name, long last, boolean waited, long before, boolean toTidy) {}

    private final Runnable startLook;
    private final Consumer<String> removeDead;
    private final Guard mutex = new Guard();
    private String cursor = "";
    private boolean looking;
    private boolean begun;

    /**
     * Makes a row expiry.
     *
     * @param startLook has {@link #look} called by another thread, some time
     * @param removeDead removes the dead from a lock's queue, and a holder whose session is gone
     */
    RowExpiry(Runnable startLook, Consumer<String> removeDead) {
        this.startLook = startLook;
        this.removeDead = removeDead;
    }

    /** A row was made. */
    void added(String lock) {
        if (ThreadLocalRandom.current().nextInt(ONE_IN) == 0) {
            start(lock);
        }
    }

    private void start(String lock) {
        mutex.lock();
        try {
            if (looking) {
                return;
            }
            looking = true;
            if (!begun) {
                begun = true;
                cursor = lock;
            }
        } finally {
            mutex.unlock();
        }
        boolean begun = false;
        try {
            startLook.run();
            begun = true;
        } finally {
            if (!begun) {
                done();
            }
        }
    }

    void look(DatabaseAccess database) {
        try {
            database.with((borrowed, at) -> look(borrowed.sql(), at));
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "removing old locks", e);
        } finally {
            done();
        }
    }

    private void done() {
        mutex.lock();
        try {
            looking = false;
        } finally {
            mutex.unlock();
        }
    }

    /** Belongs to one look at a time. */
    private boolean look(Sql sql, ReadyDatabase at) throws SQLException {
        ServerSql texts = at.texts();
        Dialect dialect = texts.dialect();
        List<Old> rows = after(sql, at, cursor);
        if (rows.isEmpty() && !cursor.isEmpty()) {
            rows = after(sql, at, ""); // A process of one new name, which comes last, has this look only.
        }
        cursor = rows.isEmpty() ? "" : rows.get(rows.size() - 1).name();
        for (Old old : rows) {
            if (old.last() >= old.before()) {
                continue;
            }
            if (old.waited() || old.toTidy()) {
                removeDead.accept(old.name());
                continue;
            }
            Object name = dialect.name(old.name());
            sql.change(texts.deleteOld, at.namespace(), name, old.last());
        }
        return true;
    }

    private static List<Old> after(Sql sql, ReadyDatabase at, String name) throws SQLException {
        Dialect dialect = at.texts().dialect();
        return sql.all(
                at.texts().oldRows,
                row -> new Old(
                        dialect.name(row, 1),
                        row.getLong(2),
                        row.getLong(3) > 0,
                        row.getLong(4),
                        row.getLong(5) == StoredLease.OPEN
                                || LockRow.SEVERAL.client().equals(row.getString(6))),
                TxContext.micros(IDLE),
                at.namespace(),
                dialect.name(name));
    }
}

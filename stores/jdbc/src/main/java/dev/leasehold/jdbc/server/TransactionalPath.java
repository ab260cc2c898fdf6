package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.LockRows;
import dev.leasehold.jdbc.protocol.Protocol;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The transactional path is one short transaction on a server, about one lock.
 *
 * <p>Why it is right at every isolation level. The transaction's first statement locks the lock's own row and reads it;
 * everything else, the queue included, is read by later statements, and every transaction that changes leases, or takes others
 * out of a queue, has locked the row of its lock before. So whatever is read after the first statement was written by transactions that had ended
 * before it, and no other can change it until this one ends, <em>provided that the later statements see what was there when
 * the row was locked</em>. (Waiters join, ask again and leave without the lock's row, each in its own row alone: {@link WaitingPath}
 * says why a queue that changes meanwhile does no harm.)
 *
 * <ul>
 *   <li>READ COMMITTED: each statement sees what was committed before it began. This is the level that we ask for.
 *   <li>REPEATABLE READ and SERIALIZABLE on PostgreSQL: all statements see what was committed before the first began, and
 *       the first may have waited for the row since. But every transaction writes to the row it locks, so the one that was
 *       waited for has changed it, and PostgreSQL lets an update of a row that was changed after the snapshot fail
 *       (SQLSTATE 40001). Then all begins anew. Without a wait, nothing has been committed between snapshot and lock, for
 *       the same reason.
 *   <li>REPEATABLE READ and SERIALIZABLE on MariaDB and MySQL: the first statement is a locking read, which sees what is
 *       there now and takes no snapshot. The first plain read takes it, when the row is ours already.
 *   <li>H2: at levels above READ COMMITTED a wait is followed by old data without an error, so there the level is set for
 *       each piece of work, whatever the connection came with.
 * </ul>
 *
 * <p>Single statements ({@link SingleStatementPath}) lock, decide and change by one row, so there is nothing between
 * which others could come. They see the queue only as the number of its rows in that row ({@code waiters}), which every
 * transaction that changes the queue writes. A subquery for the queue would see the state before the wait for the row.
 *
 * <p>Time is read by the first statement, on PostgreSQL after it has the row, elsewhere when it began. See {@link
 * ServerSql} for why a time that is past does no harm.
 */
final class TransactionalPath {

    private final ServerSql texts;
    private final Object namespace;
    private final StoreContext context;

    private final @Nullable PinnedSession session;
    private final @Nullable SessionKeys keys;

    /**
     * Makes transactions.
     *
     * @param session the session whose locks decide, with {@code keys}; or null, where the rows do
     */
    TransactionalPath(
            ServerSql texts,
            Object namespace,
            StoreContext context,
            @Nullable PinnedSession session,
            @Nullable SessionKeys keys) {
        this.texts = texts;
        this.namespace = namespace;
        this.context = context;
        this.session = session;
        this.keys = keys;
    }

    /** A done operation is not committed yet. */
    record Done<T>(T answer, TxContext transaction) {}

    /**
     * Does the request, except for its commit. The connection must not be in auto-commit mode. Null if the request needs
     * the lock's row and there is none.
     */
    <T> @Nullable Done<T> run(ServerOperation<T> request, Sql sql) throws SQLException {
        String lock = request.lock();
        ClockReading sentAt = context.time().now();
        ServerLocks.Locked locked = lock == null
                ? null
                : ServerLocks.lock(sql, texts, namespace, texts.dialect().name(lock));
        if (locked == null && request.makesRow()) {
            return null;
        }
        if (locked != null && request.canOnlyWait(locked)) {
            throw new RowReplaced(); // It is let go at once, for its holder's renewals: see WaitingPath.
        }
        TxContext transaction =
                transaction(sentAt, locked != null ? locked.micros() : lock == null ? sql.number(texts.time) : 0);
        T known = locked == null ? null : request.answerBy(locked);
        if (known != null) {
            return new Done<>(known, transaction);
        }
        ServerWaiters waiters = new ServerWaiters(sql, texts, namespace);
        ServerLocks rows = new ServerLocks(sql, texts, namespace, locked, waiters::counted);
        if (session == null || keys == null) {
            return new Done<>(work(request, rows, waiters, transaction), transaction);
        }
        try (SessionLocks locks = new SessionLocks(rows, session, keys, sql)) {
            return new Done<>(work(request, locks, waiters, transaction), transaction);
        }
    }

    private <T> T work(ServerOperation<T> request, LockRows locks, ServerWaiters waiters, TxContext transaction)
            throws SQLException {
        Protocol protocol = new Protocol(locks, waiters, (row, now) -> {}, context.owner());
        T answer = request.operation().work().in(protocol, transaction);
        String lock = request.lock();
        if (lock != null) {
            waiters.writeDown(lock);
        }
        return answer;
    }

    /** Makes the lock's row, if it is not there; in auto-commit mode. */
    void makeRow(String lock, Sql sql) throws SQLException {
        try {
            sql.change(texts.insertRow, namespace, texts.dialect().name(lock));
        } catch (SQLException e) {
            if (!texts.dialect().isDuplicate(e)) {
                throw e;
            }
        }
    }

    private static TxContext transaction(ClockReading sentAt, long micros) {
        return new TxContext(sentAt, "", micros, micros, new ArrayList<>());
    }
}

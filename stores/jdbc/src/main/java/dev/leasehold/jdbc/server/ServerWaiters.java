package dev.leasehold.jdbc.server;

import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.protocol.WaiterRows;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Server waiters are the queues on a server, within one transaction, which has locked the row of the lock in question.
 * Whenever the queue has changed, the transaction has to write the number of its rows into the lock's row, by which single
 * statements decide. Meanwhile waiters may insert, change and remove their own rows without it: {@link WaitingPath} says why
 * that does no harm. A row that was read, and is gone, dead or moved when it is to be changed, makes the transaction begin
 * anew: else a claim that has withdrawn would be granted, or one would hold the lock and wait for it.
 */
final class ServerWaiters implements WaiterRows {

    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;
    private boolean changed;

    ServerWaiters(Sql sql, ServerSql texts, Object namespace) {
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
    }

    @Override
    public void removeExpired(LockRow row, TxContext now) throws SQLException {
        changed |= sql.change(texts.removeExpired, namespace, name(row), now.micros()) > 0;
    }

    @Override
    public @Nullable Waiter find(LockRow row, ClaimId claim) throws SQLException {
        return sql.first(texts.findWaiter, ServerWaiters::read, namespace, name(row), claim.client(), claim.counter());
    }

    @Override
    public @Nullable Waiter first(LockRow row) throws SQLException {
        Waiter first = sql.first(texts.firstWaiter, ServerWaiters::read, namespace, name(row));
        changed |= first == null; // A waiter that withdrew without a transaction is still counted.
        return first;
    }

    @Override
    public int add(LockRow row, Claim claim, String owner, TxContext now) throws SQLException {
        long[] tail = {0, 0};
        sql.first(
                texts.tail,
                found -> {
                    tail[0] = found.getLong(1);
                    tail[1] = found.getLong(2);
                    return tail;
                },
                namespace,
                name(row));
        changed = true;
        long position = Math.max(tail[1] + 1, now.wallMicros());
        try {
            sql.change(texts.addWaiter, row(namespace, name(row), position, claim, owner, now));
        } catch (SQLException e) {
            throw isTaken(e) ? new RowReplaced() : e;
        }
        return Math.toIntExact(tail[0] + 1);
    }

    @Override
    public int hear(LockRow row, Waiter waiter, Claim claim, TxContext now) throws SQLException {
        demand(sql.change(texts.hearWaiter, word(namespace, name(row), waiter, claim, now)));
        return Math.toIntExact(sql.number(texts.place, namespace, name(row), waiter.position()));
    }

    @Override
    public void remove(LockRow row, Waiter waiter) throws SQLException {
        changed = true;
        demand(sql.change(
                texts.removeWaiter,
                namespace,
                name(row),
                waiter.position(),
                waiter.claim().client(),
                waiter.claim().counter()));
    }

    private static void demand(int changed) throws SQLException {
        if (changed == 0) {
            throw new RowReplaced();
        }
    }

    @Override
    public List<WaiterInfo> list(LockRow row, TxContext now) throws SQLException {
        int[] place = {0};
        return sql.all(
                texts.listWaiters,
                found -> new WaiterInfo(
                        found.getString(1), ++place[0], found.getInt(3), TxContext.instant(found.getLong(2))),
                namespace,
                name(row),
                now.micros());
    }

    /** Notes that the lock's row has just been written, with the number of rows as it is now. */
    void counted() {
        changed = false;
    }

    /** Writes the number of rows into the lock's row, if it has changed; this comes before the commit. */
    void writeDown(String lock) throws SQLException {
        if (changed) {
            Object name = texts.dialect().name(lock);
            sql.change(texts.recount, namespace, name, namespace, name);
        }
    }

    /** Returns the values of a new row. */
    static Object[] row(Object namespace, Object name, long position, Claim claim, String owner, TxContext now) {
        return new Object[] {
            namespace,
            name,
            position,
            claim.id().client(),
            claim.id().counter(),
            owner,
            now.wallMicros(),
            TxContext.micros(claim.lease()),
            (long) claim.spare(),
            (long) claim.share(),
            now.in(WaitingRules.aliveFor(claim.lease()))
        };
    }

    /** Returns the values of a new row, and of the question whether the claim has one. */
    static Object[] joining(Object namespace, Object name, long position, Claim claim, String owner, TxContext now) {
        Object[] row = row(namespace, name, position, claim, owner, now);
        Object[] values = Arrays.copyOf(row, row.length + 4);
        System.arraycopy(
                new Object[] {namespace, name, claim.id().client(), claim.id().counter()}, 0, values, row.length, 4);
        return values;
    }

    /** Returns the values of a row that is moved. */
    static Object[] moved(
            Object namespace, Object name, Waiter dead, long position, Claim claim, String owner, TxContext now) {
        return new Object[] {
            position,
            owner,
            now.wallMicros(),
            TxContext.micros(claim.lease()),
            (long) claim.spare(),
            (long) claim.share(),
            now.in(WaitingRules.aliveFor(claim.lease())),
            namespace,
            name,
            dead.position(),
            dead.claim().client(),
            dead.claim().counter()
        };
    }

    /** Returns the values of a further word of a waiter. */
    static Object[] word(Object namespace, Object name, Waiter waiter, Claim claim, TxContext now) {
        return new Object[] {
            TxContext.micros(claim.lease()),
            (long) claim.spare(),
            now.in(WaitingRules.aliveFor(claim.lease())),
            namespace,
            name,
            waiter.position(),
            waiter.claim().client(),
            waiter.claim().counter()
        };
    }

    /** Returns whether an insert failed because another waiter, who had not locked the lock's row, came to its position. */
    static boolean isTaken(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("23");
    }

    private Object name(LockRow row) {
        return texts.dialect().name(row.name());
    }

    private static Waiter read(ResultSet row) throws SQLException {
        return new Waiter(
                row.getLong(1),
                new ClaimId(row.getString(2), row.getLong(3)),
                row.getString(4),
                Duration.of(row.getLong(5), ChronoUnit.MICROS),
                row.getInt(6),
                row.getInt(7));
    }
}

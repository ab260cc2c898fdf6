package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.LockRows;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the locks on a server, within one transaction, which has locked at most one of them.
 *
 * <p>What is written names what was read: the last token and that of the lease. While the transaction goes on, nobody else
 * can change the row, so this is always so. But a driver or a pooler may carry out a transaction again on another connection,
 * after the first was cut and others have had the lock; then nothing may be written over their row, and all begins anew.
 */
public final class ServerLocks implements LockRows {

    /**
     * A row that the transaction has locked.
     *
     * @param micros the database's time
     */
    record Locked(Raw row, long micros) {}

    /** A row as it is written: whether it is over is still to be seen. */
    record Raw(long last, StoredLease tenure, boolean waited) {}

    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;
    private final @Nullable Raw locked;
    private final Runnable counted;
    private long last;
    private long token;

    /**
     * The rows within a transaction.
     *
     * @param counted is called when a row was written together with the number of its waiters
     */
    public ServerLocks(Sql sql, ServerSql texts, Object namespace, @Nullable Locked locked, Runnable counted) {
        this.counted = counted;
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
        this.locked = locked == null ? null : locked.row();
        this.last = locked == null ? 0 : locked.row().last();
        this.token = locked == null ? 0 : locked.row().tenure().token();
    }

    /** Locks a row until the end of the transaction. */
    public static @Nullable Locked lock(Sql sql, ServerSql texts, Object namespace, Object name) throws SQLException {
        return sql.first(texts.lockRow, row -> new Locked(read(row), row.getLong(10)), namespace, name);
    }

    @Override
    public @Nullable LockRow find(String name, TxContext now) {
        return locked == null ? null : seen(name, locked, now);
    }

    /** A row is made before the transaction that locks it. */
    @Override
    public LockRow insert(String name, TxContext now) {
        throw new IllegalStateException("there is no row for " + name);
    }

    @Override
    public List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException {
        List<LockRow> busy = new ArrayList<>();
        Dialect dialect = texts.dialect();
        if (only == null) {
            sql.all(texts.busy, row -> busy.add(seen(dialect.name(row, 10), read(row), now)), namespace, now.micros());
        } else {
            sql.all(
                    texts.busyNamed,
                    row -> busy.add(seen(dialect.name(row, 10), read(row), now)),
                    namespace,
                    now.micros(),
                    dialect.name(only));
        }
        return busy;
    }

    @Override
    public StoredLease grant(
            LockRow row, ClaimId claim, String owner, Duration lease, int spare, boolean handed, TxContext now)
            throws SQLException {
        return grantUntil(now.in(lease), row, claim, owner, spare, handed, now);
    }

    StoredLease grantUntil(
            long ends, LockRow row, ClaimId claim, String owner, int spare, boolean handed, TxContext now)
            throws SQLException {
        long granted = Math.max(row.last() + 1, now.wallMicros());
        StoredLease tenure = new StoredLease(claim, owner, granted, granted + spare, now.wallMicros(), ends);
        Object name = texts.dialect().name(row.name());
        write(
                name,
                texts.grant,
                tenure.runEnd(),
                claim.client(),
                claim.counter(),
                owner,
                tenure.token(),
                tenure.runEnd(),
                tenure.since(),
                tenure.ends(),
                handed ? 1L : 0L,
                namespace,
                name,
                namespace,
                name,
                last,
                token);
        last = tenure.runEnd();
        token = tenure.token();
        counted.run();
        return tenure;
    }

    /** Writes the row, unless it is not the one that was read. */
    private void write(Object name, String statement, Object... values) throws SQLException {
        if (sql.change(statement, values) > 0) {
            return;
        }
        // A connection may count only rows that are different afterwards.
        Locked present = lock(sql, texts, namespace, name);
        if (present == null
                || present.row().last() != last
                || present.row().tenure().token() != token) {
            throw new RowReplaced();
        }
    }

    @Override
    public StoredLease extend(LockRow row, StoredLease tenure, Duration duration, TxContext now) throws SQLException {
        return extendUntil(Math.max(tenure.ends(), now.in(duration)), row, tenure);
    }

    StoredLease extendUntil(long ends, LockRow row, StoredLease tenure) throws SQLException {
        StoredLease extended = tenure.ending(ends);
        Object name = texts.dialect().name(row.name());
        ClaimId claim = Objects.requireNonNull(tenure.claim(), "the claim of a lease");
        write(
                name,
                texts.extend,
                extended.ends(),
                namespace,
                name,
                namespace,
                name,
                last,
                token,
                claim.client(),
                claim.counter());
        counted.run();
        return extended;
    }

    @Override
    public void evict(LockRow row) {
        if (row.tenure() != null && row.tenure().isOpenEnded()) {
            throw new LockException(
                    "the lock '" + row.name() + "' is held by a database session (sessionLocks), whose end"
                            + " alone frees it; nothing was changed. Break it with leasehold.sessionLocks=true");
        }
    }

    @Override
    public void keep(LockRow row, Duration duration, TxContext now) throws SQLException {
        Object name = texts.dialect().name(row.name());
        write(name, texts.keep, now.in(duration), namespace, name, namespace, name, last, token);
        counted.run();
    }

    /** Who has the lock as far as the row says, or null without one. */
    @Nullable StoredLease written() {
        return locked == null ? null : locked.tenure();
    }

    private static LockRow seen(String name, Raw raw, TxContext now) {
        StoredLease tenure = raw.tenure();
        return new LockRow(0, name, raw.last(), tenure.ends() > now.micros() ? tenure : null, raw.waited(), false);
    }

    private static Raw read(ResultSet row) throws SQLException {
        String client = row.getString(2);
        StoredLease tenure = new StoredLease(
                client == null ? null : new ClaimId(client, row.getLong(3)),
                row.getString(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8));
        return new Raw(row.getLong(1), tenure, row.getLong(9) > 0);
    }
}

package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Dialect;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.Holders;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.LockRows;
import dev.leasehold.jdbc.protocol.StrangeRow;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Server locks are the rows of the locks on a server, within one transaction, which has locked at most one of them.
 *
 * <p>Each write names what was read: the last token and that of the lease. While the transaction goes on, nobody else can
 * change the row, so the two always agree. But a driver or a pooler may carry out a transaction again on another connection,
 * after the first was cut and others have had the lock; then nothing may be written over their row, and the operation begins anew.
 *
 * <p>Holders that share a lock are rows of their own ({@link ServerHolders}). They are added and removed only by transactions
 * that have locked the lock's row, which then has the claim {@link LockRow#SEVERAL}. Single statements, which look no
 * further than at the lock's row, never take a lock from that claim, whatever its end.
 */
public final class ServerLocks implements LockRows {

    /**
     * A locked row is one that the transaction has locked.
     *
     * @param micros the database's time
     */
    record Locked(Raw row, long micros) {}

    /** A raw row is as it is written: whether it is over is still to be seen. */
    record Raw(long last, StoredLease stored, boolean waited) {

        boolean isShared() {
            return LockRow.SEVERAL.equals(stored.claim());
        }
    }

    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;
    private final ServerHolders holders;
    private final @Nullable Raw locked;
    private final Runnable counted;
    private long last;
    private long token;
    private long ends;

    /**
     * Makes the view of the rows within a transaction.
     *
     * @param counted is called when a row was written together with the number of its waiters
     */
    public ServerLocks(Sql sql, ServerSql texts, Object namespace, @Nullable Locked locked, Runnable counted) {
        this.counted = counted;
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
        this.holders = new ServerHolders(sql, texts, namespace);
        this.locked = locked == null ? null : locked.row();
        if (locked != null) {
            this.last = locked.row().last();
            this.token = locked.row().stored().token();
            this.ends = locked.row().stored().ends();
        }
    }

    /** Locks a row until the end of the transaction. */
    public static @Nullable Locked lock(Sql sql, ServerSql texts, Object namespace, Object name) throws SQLException {
        return sql.first(texts.lockRow, row -> new Locked(read(row), row.getLong(10)), namespace, name);
    }

    /** Those who shared the lock and are gone leave no row behind. */
    @Override
    public @Nullable LockRow find(String name, TxContext now) throws SQLException {
        if (locked == null) {
            return null;
        }
        if (!locked.isShared()) {
            return seen(name, locked, now);
        }
        ServerHolders.Found found = holders.of(name, now);
        if (found.over() > 0) {
            holders.removeExpired(name, found.over(), now);
        }
        return row(name, locked, found.alive());
    }

    /** A row is made before the transaction that locks it. */
    @Override
    public LockRow insert(String name, TxContext now) {
        throw new IllegalStateException("there is no row for " + name);
    }

    @Override
    public List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException {
        Map<String, Raw> found = new LinkedHashMap<>();
        Dialect dialect = texts.dialect();
        if (only == null) {
            sql.all(texts.busy, row -> readInto(found, dialect.name(row, 10), row), namespace, now.micros());
        } else {
            sql.all(
                    texts.busyNamed,
                    row -> readInto(found, dialect.name(row, 10), row),
                    namespace,
                    now.micros(),
                    dialect.name(only));
        }
        List<LockRow> busy = new ArrayList<>();
        for (Map.Entry<String, Raw> each : found.entrySet()) {
            busy.add(StrangeRow.in(each.getKey(), () -> seen(each.getKey(), each.getValue(), now)));
        }
        return busy;
    }

    private static boolean readInto(Map<String, Raw> found, String name, ResultSet row) throws SQLException {
        return found.put(name, StrangeRow.in(name, () -> read(row))) == null;
    }

    @Override
    public StoredLease grant(LockRow row, Grantee grantee, TxContext now) throws SQLException {
        return grantUntil(now.in(grantee.lease()), row, grantee, now);
    }

    StoredLease grantUntil(long end, LockRow row, Grantee grantee, TxContext now) throws SQLException {
        StoredLease granted = grantee.leaseOf(row, end, now);
        if (granted.isExclusive()) {
            take(row, granted, grantee.claim(), granted.owner(), end, grantee.handed());
        } else {
            add(row, granted);
        }
        return granted;
    }

    /** Before there is a holder, its lock's row says that it is taken. */
    private void add(LockRow row, StoredLease holder) throws SQLException {
        boolean beside = row.shared() && !row.holders().isEmpty();
        take(row, holder, LockRow.SEVERAL, "", beside ? Math.max(ends, holder.ends()) : holder.ends(), false);
        holders.add(row.name(), holder, last);
    }

    private void take(LockRow row, StoredLease lease, ClaimId claim, String owner, long end, boolean handed)
            throws SQLException {
        Object name = texts.dialect().name(row.name());
        write(
                name,
                texts.grant,
                Math.max(last, lease.runEnd()),
                claim.client(),
                claim.counter(),
                owner,
                lease.token(),
                lease.runEnd(),
                lease.since(),
                end,
                handed ? 1L : 0L,
                namespace,
                name,
                namespace,
                name,
                last,
                token);
        last = Math.max(last, lease.runEnd());
        token = lease.token();
        ends = end;
        counted.run();
    }

    @Override
    public void share(LockRow row, StoredLease reader, TxContext now) throws SQLException {
        add(row, reader);
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
                || present.row().stored().token() != token) {
            throw new RowReplaced();
        }
    }

    @Override
    public StoredLease extend(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        long end = Math.max(held.ends(), now.in(duration));
        if (!row.shared()) {
            return extendUntil(end, row, held);
        }
        StoredLease extended = held.ending(end);
        holders.extend(row.name(), extended);
        return extended;
    }

    StoredLease extendUntil(long end, LockRow row, StoredLease held) throws SQLException {
        ClaimId claim = Objects.requireNonNull(held.claim(), "the claim of a lease");
        extendRow(end, row, claim);
        return held.ending(end);
    }

    private void extendRow(long end, LockRow row, ClaimId claim) throws SQLException {
        Object name = texts.dialect().name(row.name());
        write(name, texts.extend, end, namespace, name, namespace, name, last, token, claim.client(), claim.counter());
        ends = end;
        counted.run();
    }

    @Override
    public void evict(LockRow row, StoredLease held) {
        if (held.isOpenEnded()) {
            throw new LockException(
                    "the lock '" + row.name() + "' is held by a database session (sessionLocks), whose end"
                            + " alone frees it; nothing was changed. Break it with leasehold.sessionLocks=true");
        }
    }

    @Override
    public void keep(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        long end = now.in(duration);
        if (row.shared()) {
            holders.keep(row.name(), held, end);
        } else {
            keepUntil(end, row);
        }
    }

    @Override
    public void remove(LockRow row, StoredLease held) throws SQLException {
        if (row.shared()) {
            holders.remove(row.name(), held);
        }
    }

    /** No time, but 0: a clock that was ahead, and is right again, keeps nobody from what is free. */
    @Override
    public void free(LockRow row, TxContext now) throws SQLException {
        keepUntil(0, row);
    }

    private void keepUntil(long end, LockRow row) throws SQLException {
        Object name = texts.dialect().name(row.name());
        write(name, texts.keep, end, namespace, name, namespace, name, last, token);
        ends = end;
        counted.run();
    }

    /** Returns who has the lock as far as the row says, or null without one. */
    @Nullable StoredLease written() {
        return locked == null ? null : locked.stored();
    }

    private LockRow seen(String name, Raw raw, TxContext now) throws SQLException {
        if (raw.isShared()) {
            return row(name, raw, holders.of(name, now).alive());
        }
        return row(name, raw, raw.stored().ends() > now.micros() ? new Holders(List.of(raw.stored())) : Holders.NONE);
    }

    private static LockRow row(String name, Raw raw, Holders alive) {
        return new LockRow(0, name, raw.last(), alive, raw.isShared(), raw.waited(), false);
    }

    /** Reads the first nine columns. */
    static Raw read(ResultSet row) throws SQLException {
        String client = row.getString(2);
        StoredLease stored = new StoredLease(
                client == null ? null : new ClaimId(client, row.getLong(3)),
                row.getString(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                row.getLong(8));
        return new Raw(row.getLong(1), stored, row.getLong(9) > 0);
    }
}

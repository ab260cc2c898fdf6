package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.Holders;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.LockRows;
import dev.leasehold.jdbc.protocol.StrangeRow;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQLite's lock rows are those of {@code leasehold_lock}, seen from one namespace. Used within transactions.
 *
 * <p>A row with {@link LockRow#SEVERAL} says that {@link SqliteHolderRows} has the holders. Then they alone count, and the
 * row's own end says nothing.
 */
final class SqliteLockRows implements LockRows {

    private static final String SELECT = "SELECT id, name, last, client, counter, owner, token, run_end, since, ends,"
            + " boot, span, EXISTS (SELECT 1 FROM leasehold_waiter w WHERE w.lock = l.id) FROM leasehold_lock l ";

    /** A raw row is as it is written: when it ends is still to be seen. */
    private record Raw(long id, String name, long last, StoredLease stored, String boot, long span, boolean waited) {

        boolean isShared() {
            return LockRow.SEVERAL.equals(stored.claim());
        }
    }

    private final Sql sql;
    private final String namespace;
    private final ForeignBootLeases foreignBootLeases;
    private final SqliteHolderRows holders;

    SqliteLockRows(Sql sql, String namespace) {
        this.sql = sql;
        this.namespace = namespace;
        this.foreignBootLeases = new ForeignBootLeases(sql);
        this.holders = new SqliteHolderRows(sql, foreignBootLeases);
    }

    SqliteHolderRows holders() {
        return holders;
    }

    @Override
    public @Nullable LockRow find(String name, TxContext now) throws SQLException {
        Raw raw = sql.first(SELECT + "WHERE namespace = ? AND name = ?", SqliteLockRows::read, namespace, name);
        return raw == null ? null : seen(raw, now, true);
    }

    /** Returns the next rows by id, of all namespaces. */
    List<LockRow> after(long id, long limit, TxContext now) throws SQLException {
        return seen(sql.all(SELECT + "WHERE id > ? ORDER BY id LIMIT ?", SqliteLockRows::read, id, limit), now, true);
    }

    @Override
    public List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException {
        String condition = "WHERE namespace = ? AND"
                + " (span > 0 OR EXISTS (SELECT 1 FROM leasehold_waiter w WHERE w.lock = l.id))";
        List<Raw> raw = only == null
                ? sql.all(SELECT + condition, SqliteLockRows::read, namespace)
                : sql.all(SELECT + condition + " AND name = ?", SqliteLockRows::read, namespace, only);
        return seen(raw, now, false);
    }

    /** Returns what was handed to a client and is not confirmed yet. Writes nothing. */
    List<LockRow> handedTo(String client, TxContext now) throws SQLException {
        String condition = "WHERE client = ? AND handed = 1 AND namespace = ?";
        return seen(sql.all(SELECT + condition, SqliteLockRows::read, client, namespace), now, false);
    }

    /** Returns whether the row still carries the lease, run out or not. */
    boolean carries(LeaseId lease) throws SQLException {
        Long found = sql.first(
                "SELECT 1 FROM leasehold_lock WHERE namespace = ? AND name = ? AND client = ? AND counter = ?"
                        + " AND token = ?",
                row -> row.getLong(1),
                namespace,
                lease.lock(),
                lease.claim().client(),
                lease.claim().counter(),
                lease.token());
        return found != null || holders.carries(lease, namespace);
    }

    @Nullable Long id(String name) throws SQLException {
        return sql.first(
                "SELECT id FROM leasehold_lock WHERE namespace = ? AND name = ?",
                row -> row.getLong(1),
                namespace,
                name);
    }

    @Override
    public LockRow insert(String name, TxContext now) throws SQLException {
        sql.change("INSERT INTO leasehold_lock (namespace, name) VALUES (?, ?)", namespace, name);
        return LockRow.added(sql.number("SELECT last_insert_rowid()"), name);
    }

    @Override
    public StoredLease grant(LockRow row, Grantee grantee, TxContext now) throws SQLException {
        StoredLease granted = grantee.leaseOf(row, now.in(grantee.lease()), now);
        if (granted.isExclusive()) {
            take(row, granted, grantee.claim(), granted.owner(), grantee.handed(), now);
        } else {
            add(row, granted, grantee.handed(), now);
        }
        return granted;
    }

    /** Before there is a holder, its lock's row says that it is taken. */
    private void add(LockRow row, StoredLease holder, boolean handed, TxContext now) throws SQLException {
        if (!row.shared()) {
            holders.removeAll(row.id());
        }
        StoredLease longest = row.shared() ? holder.ending(row.holders().end(holder.ends())) : holder;
        take(row, longest, LockRow.SEVERAL, "", false, now);
        holders.add(row, holder, handed, now);
    }

    private void take(LockRow row, StoredLease lease, ClaimId claim, String owner, boolean handed, TxContext now)
            throws SQLException {
        sql.change(
                "UPDATE leasehold_lock SET last = ?, client = ?, counter = ?, owner = ?, token = ?, run_end = ?,"
                        + " since = ?, ends = ?, boot = ?, span = ?, handed = ? WHERE id = ?",
                Math.max(row.last(), lease.runEnd()),
                claim.client(),
                claim.counter(),
                owner,
                lease.token(),
                lease.runEnd(),
                lease.since(),
                lease.ends(),
                now.boot(),
                lease.ends() - now.micros(),
                handed ? 1L : 0L,
                row.id());
        forgetForeignBoot(row);
    }

    @Override
    public void share(LockRow row, StoredLease reader, TxContext now) throws SQLException {
        add(row, reader, false, now);
    }

    @Override
    public StoredLease extend(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        StoredLease extended = held.ending(Math.max(held.ends(), now.in(duration)));
        if (row.shared()) {
            extendRow(row, row.holders().end(extended.ends()), now);
            holders.write(row, extended, now);
        } else {
            extendRow(row, extended.ends(), now);
        }
        return extended;
    }

    private void extendRow(LockRow row, long ends, TxContext now) throws SQLException {
        sql.change(
                "UPDATE leasehold_lock SET ends = ?, boot = ?, span = ?, handed = 0 WHERE id = ?",
                ends,
                now.boot(),
                ends - now.micros(),
                row.id());
        forgetForeignBoot(row);
    }

    @Override
    public void keep(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        if (row.shared()) {
            StoredLease kept = held.kept(now.in(duration));
            extendRow(row, row.holders().end(kept.ends()), now);
            holders.write(row, kept, now);
        } else {
            keepUntil(now.in(duration), row, now);
        }
    }

    @Override
    public void remove(LockRow row, StoredLease held) throws SQLException {
        if (row.shared()) {
            holders.remove(row, held);
        }
    }

    @Override
    public void free(LockRow row, TxContext now) throws SQLException {
        keepUntil(now.micros(), row, now);
    }

    private void keepUntil(long ends, LockRow row, TxContext now) throws SQLException {
        sql.change(
                "UPDATE leasehold_lock SET client = NULL, counter = NULL, owner = '', ends = ?, boot = ?, span = ?,"
                        + " handed = 0 WHERE id = ?",
                ends,
                now.boot(),
                ends - now.micros(),
                row.id());
        forgetForeignBoot(row);
    }

    void delete(LockRow row) throws SQLException {
        sql.change("DELETE FROM leasehold_lock WHERE id = ?", row.id());
        holders.removeAll(row.id());
        foreignBootLeases.forget(row.id());
    }

    /** Does nothing for a shared lock, because {@link SqliteHolderRows} forgets each of its leases by itself. */
    private void forgetForeignBoot(LockRow row) throws SQLException {
        if (row.foreign() && !row.shared()) {
            foreignBootLeases.forget(row.id());
        }
    }

    private List<LockRow> seen(List<Raw> rows, TxContext now, boolean writing) throws SQLException {
        List<LockRow> seen = new ArrayList<>(rows.size());
        for (Raw raw : rows) {
            seen.add(StrangeRow.in(raw.name(), () -> seen(raw, now, writing)));
        }
        return seen;
    }

    private LockRow seen(Raw raw, TxContext now, boolean writing) throws SQLException {
        if (raw.isShared()) {
            SqliteHolderRows.Found found = holders.of(raw.id(), now, writing);
            return new LockRow(raw.id(), raw.name(), raw.last(), found.alive(), true, raw.waited(), found.foreign());
        }
        StoredLease stored = raw.stored();
        boolean foreign = raw.span() > 0 && !raw.boot().equals(now.boot());
        if (foreign) {
            stored = stored.ending(foreignBootLeases.end(
                    raw.id(), raw.boot(), stored.token(), stored.ends(), raw.span(), now, writing));
        }
        boolean taken = raw.span() > 0 && stored.ends() > now.micros();
        Holders alive = taken ? new Holders(List.of(stored)) : Holders.NONE;
        return new LockRow(raw.id(), raw.name(), raw.last(), alive, false, raw.waited(), foreign);
    }

    private static Raw read(ResultSet row) throws SQLException {
        String name = row.getString(2); // Each column that is read is a call into SQLite.
        return StrangeRow.in(name, () -> readColumns(name, row));
    }

    private static Raw readColumns(String name, ResultSet row) throws SQLException {
        String client = row.getString(4);
        StoredLease stored = new StoredLease(
                client == null ? null : new ClaimId(client, row.getLong(5)),
                row.getString(6),
                row.getLong(7),
                row.getLong(8),
                row.getLong(9),
                row.getLong(10));
        return new Raw(
                row.getLong(1), name, row.getLong(3), stored, row.getString(11), row.getLong(12), row.getBoolean(13));
    }
}

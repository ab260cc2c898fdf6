package dev.leasehold.jdbc.sqlite;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.Holders;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SQLite's holder rows are those of {@code leasehold_holder}: the leases that share locks. Used within transactions. */
final class SqliteHolderRows {

    private static final String COLUMNS =
            "SELECT h.client, h.counter, h.owner, h.token, h.run_end, h.share, h.slot, h.since, h.ends, h.boot, h.span";

    /** A raw row is as it is written: when it ends is still to be seen. */
    private record Raw(StoredLease lease, String boot, long span) {
        boolean isForeign(TxContext now) {
            return !boot.equals(now.boot());
        }
    }

    /** Found rows are those of one lock. */
    record Found(Holders alive, boolean foreign) {}

    /** A handed lease was given to a client and is not confirmed yet. */
    record Handed(String lock, StoredLease lease, boolean foreign) {}

    private final Sql sql;
    private final ForeignBootLeases foreignBootLeases;

    SqliteHolderRows(Sql sql, ForeignBootLeases foreignBootLeases) {
        this.sql = sql;
        this.foreignBootLeases = foreignBootLeases;
    }

    /**
     * Finds the living.
     *
     * @param writing whether the dead are removed, and what another boot has written is remembered
     */
    Found of(long lock, TxContext now, boolean writing) throws SQLException {
        List<Raw> all = sql.all(
                COLUMNS + " FROM leasehold_holder h WHERE h.lock = ? ORDER BY h.token", SqliteHolderRows::read, lock);
        List<StoredLease> alive = new ArrayList<>(all.size());
        boolean foreign = false;
        for (Raw raw : all) {
            StoredLease lease = raw.lease();
            if (raw.isForeign(now)) {
                foreign = true;
                lease = lease.ending(
                        foreignBootLeases.end(lock, raw.boot(), lease.token(), lease.ends(), raw.span(), now, writing));
            }
            if (lease.ends() > now.micros()) {
                alive.add(lease);
            } else if (writing) {
                remove(lock, lease, raw.isForeign(now));
            }
        }
        return new Found(new Holders(alive), foreign);
    }

    void add(LockRow row, StoredLease holder, boolean handed, TxContext now) throws SQLException {
        sql.change(
                "INSERT INTO leasehold_holder (lock, token, client, counter, owner, run_end, share, slot, since, boot,"
                        + " ends, span, handed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row.id(),
                holder.token(),
                client(holder),
                counter(holder),
                holder.owner(),
                holder.runEnd(),
                (long) holder.share(),
                (long) holder.slot(),
                holder.since(),
                now.boot(),
                holder.ends(),
                holder.ends() - now.micros(),
                handed ? 1L : 0L);
    }

    void write(LockRow row, StoredLease holder, TxContext now) throws SQLException {
        sql.change(
                "UPDATE leasehold_holder SET client = ?, counter = ?, owner = ?, boot = ?, ends = ?, span = ?,"
                        + " handed = 0 WHERE lock = ? AND token = ?",
                client(holder),
                counter(holder),
                holder.owner(),
                now.boot(),
                holder.ends(),
                holder.ends() - now.micros(),
                row.id(),
                holder.token());
        if (row.foreign()) {
            foreignBootLeases.forget(row.id(), holder.token());
        }
    }

    void remove(LockRow row, StoredLease holder) throws SQLException {
        remove(row.id(), holder, row.foreign());
    }

    private void remove(long lock, StoredLease holder, boolean foreign) throws SQLException {
        sql.change("DELETE FROM leasehold_holder WHERE lock = ? AND token = ?", lock, holder.token());
        if (foreign) {
            foreignBootLeases.forget(lock, holder.token());
        }
    }

    void removeAll(long lock) throws SQLException {
        sql.change("DELETE FROM leasehold_holder WHERE lock = ?", lock);
    }

    /** Lists the shared leases that were handed to a client and that it has not confirmed yet, and writes nothing. */
    List<Handed> handedTo(String client, String namespace, TxContext now) throws SQLException {
        return sql.all(
                COLUMNS + ", l.name FROM leasehold_holder h JOIN leasehold_lock l ON l.id = h.lock"
                        + " WHERE h.client = ? AND h.handed = 1 AND l.namespace = ?",
                row -> {
                    Raw raw = read(row);
                    return new Handed(row.getString(12), raw.lease(), raw.isForeign(now));
                },
                client,
                namespace);
    }

    /** Returns whether there is a row with the lease, run out or not. */
    boolean carries(LeaseId lease, String namespace) throws SQLException {
        Long found = sql.first(
                "SELECT 1 FROM leasehold_lock l JOIN leasehold_holder h ON h.lock = l.id WHERE l.namespace = ?"
                        + " AND l.name = ? AND h.token = ? AND h.client = ? AND h.counter = ?",
                row -> row.getLong(1),
                namespace,
                lease.lock(),
                lease.token(),
                lease.claim().client(),
                lease.claim().counter());
        return found != null;
    }

    private static @Nullable String client(StoredLease holder) {
        return holder.claim() == null ? null : holder.claim().client();
    }

    private static @Nullable Long counter(StoredLease holder) {
        return holder.claim() == null ? null : holder.claim().counter();
    }

    private static Raw read(ResultSet row) throws SQLException {
        String client = row.getString(1);
        StoredLease lease = new StoredLease(
                client == null ? null : new ClaimId(client, row.getLong(2)),
                row.getString(3),
                row.getLong(4),
                row.getLong(5),
                row.getInt(6),
                row.getInt(7),
                row.getLong(8),
                row.getLong(9));
        return new Raw(lease, row.getString(10), row.getLong(11));
    }
}

package dev.leasehold.jdbc.sqlite;

import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.jdbc.connection.Sql;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SQLite's waiter rows are those of {@code leasehold_waiter}: the queues. Used within transactions. */
final class SqliteWaiterRows implements WaiterRows {

    private static final String SELECT =
            "SELECT position, client, counter, owner, lease, spare, share FROM leasehold_waiter ";

    private final Sql sql;

    SqliteWaiterRows(Sql sql) {
        this.sql = sql;
    }

    /**
     * Removes the dead. Those that another boot wrote get a new time to live, from now: after a reboot each of them can
     * delay the queue once, by no more than that.
     */
    @Override
    public void removeExpired(LockRow row, TxContext now) throws SQLException {
        long lock = row.id();
        sql.change(
                "UPDATE leasehold_waiter SET boot = ?, alive_until = ? + alive_for WHERE lock = ? AND boot <> ?",
                now.boot(),
                now.micros(),
                lock,
                now.boot());
        sql.change("DELETE FROM leasehold_waiter WHERE lock = ? AND alive_until <= ?", lock, now.micros());
    }

    @Override
    public @Nullable Waiter find(LockRow row, ClaimId claim) throws SQLException {
        return find(row.id(), claim);
    }

    private @Nullable Waiter find(long lock, ClaimId claim) throws SQLException {
        return sql.first(
                SELECT + "WHERE lock = ? AND client = ? AND counter = ?",
                SqliteWaiterRows::read,
                lock,
                claim.client(),
                claim.counter());
    }

    @Override
    public @Nullable Waiter first(LockRow row) throws SQLException {
        return sql.first(SELECT + "WHERE lock = ? ORDER BY position LIMIT 1", SqliteWaiterRows::read, row.id());
    }

    @Override
    public int add(LockRow row, Claim claim, String owner, TxContext now) throws SQLException {
        long lock = row.id();
        Duration aliveFor = WaitingRules.aliveFor(claim.lease());
        long position = sql.number("SELECT COALESCE(MAX(position), 0) + 1 FROM leasehold_waiter WHERE lock = ?", lock);
        sql.change(
                "INSERT INTO leasehold_waiter (lock, position, client, counter, owner, since, lease, spare, share,"
                        + " boot, alive_for, alive_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                lock,
                position,
                claim.id().client(),
                claim.id().counter(),
                owner,
                now.wallMicros(),
                TxContext.micros(claim.lease()),
                (long) claim.spare(),
                (long) claim.share(),
                now.boot(),
                TxContext.micros(aliveFor),
                now.in(aliveFor));
        return place(lock, position);
    }

    @Override
    public int hear(LockRow row, Waiter waiter, Claim claim, TxContext now) throws SQLException {
        Duration aliveFor = WaitingRules.aliveFor(claim.lease());
        sql.change(
                "UPDATE leasehold_waiter SET lease = ?, spare = ?, boot = ?, alive_for = ?, alive_until = ?"
                        + " WHERE lock = ? AND position = ?",
                TxContext.micros(claim.lease()),
                (long) claim.spare(),
                now.boot(),
                TxContext.micros(aliveFor),
                now.in(aliveFor),
                row.id(),
                waiter.position());
        return place(row.id(), waiter.position());
    }

    /** Returns the claim's place in the queue; 0 where the claim does not wait. */
    int place(long lock, ClaimId claim) throws SQLException {
        Waiter waiter = find(lock, claim);
        return waiter == null ? 0 : place(lock, waiter.position());
    }

    private int place(long lock, long position) throws SQLException {
        return Math.toIntExact(
                sql.number("SELECT COUNT(*) FROM leasehold_waiter WHERE lock = ? AND position <= ?", lock, position));
    }

    @Override
    public void remove(LockRow row, Waiter waiter) throws SQLException {
        sql.change("DELETE FROM leasehold_waiter WHERE lock = ? AND position = ?", row.id(), waiter.position());
    }

    /** Lists the living; those of another boot count as alive. */
    @Override
    public List<WaiterInfo> list(LockRow lock, TxContext now) throws SQLException {
        int[] place = {0};
        return sql.all(
                "SELECT owner, since, share FROM leasehold_waiter WHERE lock = ? AND (boot <> ? OR alive_until > ?)"
                        + " ORDER BY position",
                row -> new WaiterInfo(row.getString(1), ++place[0], row.getInt(3), TxContext.instant(row.getLong(2))),
                lock.id(),
                now.boot(),
                now.micros());
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

package dev.leasehold.jdbc;

import dev.leasehold.WaiterInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.WaitingRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of {@code leasehold_waiter}: the queues. Used within transactions. */
final class WaiterTable {

    /** A claim in a queue, as of its last word. */
    record Waiter(long position, ClaimId claim, String owner, Duration lease, int spare) {}

    private static final String SELECT = "SELECT position, client, counter, owner, lease, spare FROM leasehold_waiter ";

    private final Sql sql;

    WaiterTable(Sql sql) {
        this.sql = sql;
    }

    /**
     * Removes the dead. Those that another boot wrote get a new time to live, from now: after a reboot each of them can
     * delay the queue once, by no more than that.
     */
    void bury(long lock, Turn now) throws SQLException {
        sql.change(
                "UPDATE leasehold_waiter SET boot = ?, alive_until = ? + alive_for WHERE lock = ? AND boot <> ?",
                now.boot(),
                now.micros(),
                lock,
                now.boot());
        sql.change("DELETE FROM leasehold_waiter WHERE lock = ? AND alive_until <= ?", lock, now.micros());
    }

    @Nullable Waiter find(long lock, ClaimId claim) throws SQLException {
        return sql.first(
                SELECT + "WHERE lock = ? AND client = ? AND counter = ?",
                WaiterTable::read,
                lock,
                claim.client(),
                claim.counter());
    }

    @Nullable Waiter first(long lock) throws SQLException {
        return sql.first(SELECT + "WHERE lock = ? ORDER BY position LIMIT 1", WaiterTable::read, lock);
    }

    long add(long lock, Claim claim, String owner, Turn now) throws SQLException {
        Duration aliveFor = WaitingRules.aliveFor(claim.lease());
        long position = sql.number("SELECT COALESCE(MAX(position), 0) + 1 FROM leasehold_waiter WHERE lock = ?", lock);
        sql.change(
                "INSERT INTO leasehold_waiter (lock, position, client, counter, owner, since, lease, spare, boot,"
                        + " alive_for, alive_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                lock,
                position,
                claim.id().client(),
                claim.id().counter(),
                owner,
                now.wallMicros(),
                Turn.micros(claim.lease()),
                (long) claim.spare(),
                now.boot(),
                Turn.micros(aliveFor),
                now.in(aliveFor));
        return position;
    }

    /** Notes a further word of a waiter. */
    void hear(long lock, long position, Claim claim, Turn now) throws SQLException {
        Duration aliveFor = WaitingRules.aliveFor(claim.lease());
        sql.change(
                "UPDATE leasehold_waiter SET lease = ?, spare = ?, boot = ?, alive_for = ?, alive_until = ?"
                        + " WHERE lock = ? AND position = ?",
                Turn.micros(claim.lease()),
                (long) claim.spare(),
                now.boot(),
                Turn.micros(aliveFor),
                now.in(aliveFor),
                lock,
                position);
    }

    int place(long lock, long position) throws SQLException {
        return Math.toIntExact(
                sql.number("SELECT COUNT(*) FROM leasehold_waiter WHERE lock = ? AND position <= ?", lock, position));
    }

    void remove(long lock, long position) throws SQLException {
        sql.change("DELETE FROM leasehold_waiter WHERE lock = ? AND position = ?", lock, position);
    }

    /** The living, first come first; those of another boot count as alive. Writes nothing. */
    List<WaiterInfo> list(long lock, Turn now) throws SQLException {
        int[] place = {0};
        return sql.all(
                "SELECT owner, since FROM leasehold_waiter WHERE lock = ? AND (boot <> ? OR alive_until > ?)"
                        + " ORDER BY position",
                row -> new WaiterInfo(row.getString(1), ++place[0], Turn.instant(row.getLong(2))),
                lock,
                now.boot(),
                now.micros());
    }

    private static Waiter read(ResultSet row) throws SQLException {
        return new Waiter(
                row.getLong(1),
                new ClaimId(row.getString(2), row.getLong(3)),
                row.getString(4),
                Duration.of(row.getLong(5), ChronoUnit.MICROS),
                row.getInt(6));
    }
}

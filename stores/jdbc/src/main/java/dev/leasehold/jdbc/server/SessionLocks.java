package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.LockRow;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.LockRows;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.server.PinnedSession.Found;
import dev.leasehold.jdbc.server.PinnedSession.Who;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Session locks are the rows of the locks where the database's own locks, held by the clients' sessions, decide who has one;
 * within one transaction, which has locked the row.
 *
 * <p>A lock that is held has both: its row, which says whose it is, with which token, and has no end ({@link
 * StoredLease#OPEN}); and its key, which the holder's session has taken. The key decides. The row alone is not enough: a
 * client that finds a row without an end tries the key, and if nobody has it, the holder's session is gone, and so is the
 * lease. The key alone is not enough either: a lease is granted only by the transaction that has locked the row, where
 * queue and tokens are kept, and only when this client's session has the key by then. So whatever is wrong in the tables
 * (somebody has deleted a row, another lock has the same key), two sessions never have one lock.
 *
 * <p>Waiters, and locks that are kept without a holder, have no session: they stand in the row with an end by the
 * database's clock, as they do without sessions. A hand-over is such a row too; its receiver takes the key when it confirms.
 *
 * <p>Clients that hold keys for a row take and give them only while they have locked that row, before they commit. So a
 * client that has locked the row, and finds the key taken although the row says that nobody has it, has met either a
 * session that is just ending or another user of the key, and may as well wait.
 */
final class SessionLocks implements LockRows, AutoCloseable {

    /** This says, as the end of a sentence, why sessions share no locks. */
    static final String NOT_SHARED =
            "with session locks (leasehold.sessionLocks) the database's own locks decide, and they keep"
                    + " no queue for those who share one: writers would starve. Leave leasehold.sessionLocks out";

    private static final long EVICTION_NANOS = 2_000_000_000;
    private static final long PAUSE_NANOS = 2_000_000;

    private final ServerLocks rows;
    private final PinnedSession session;
    private final SessionKeys keys;
    private final Sql sql;
    private final Map<String, Object> known = new HashMap<>();

    /** The session has this key only because nobody else had it. */
    private @Nullable Object spare;

    /** The session has the key for this lease, whatever the row says. */
    private @Nullable LeaseId ours;

    private boolean looked;
    private boolean abandoned;

    SessionLocks(ServerLocks rows, PinnedSession session, SessionKeys keys, Sql sql) {
        this.rows = rows;
        this.session = session;
        this.keys = keys;
        this.sql = sql;
    }

    @Override
    public @Nullable LockRow find(String name, TxContext now) throws SQLException {
        LockRow row = rows.find(name, now);
        StoredLease written = rows.written();
        if (row == null || written == null || !written.isOpenEnded()) {
            return row;
        }
        look(name);
        boolean held = spare == null && (ours == null || isOf(written, name, ours));
        abandoned = !held;
        // Held by a session of ours that we have lost sight of: not ours any more, and not yet anybody else's.
        boolean strayed = held && ours == null && isThisClients(written);
        StoredLease seen = !held ? null : strayed ? nobodys(written) : written;
        return row.heldBy(seen);
    }

    private boolean isThisClients(StoredLease stored) {
        return stored.claim() != null && stored.claim().client().equals(session.client());
    }

    private static StoredLease nobodys(StoredLease stored) {
        return new StoredLease(null, stored.owner(), stored.token(), stored.runEnd(), stored.since(), stored.ends());
    }

    private static boolean isOf(StoredLease stored, String name, LeaseId lease) {
        return lease.lock().equals(name) && stored.isLease(lease);
    }

    private void look(String name) throws SQLException {
        if (looked) {
            return;
        }
        Object key = key(name);
        Found found = session.look(key);
        looked = true;
        ours = found.lease();
        spare = found.who() == Who.NOBODY ? key : null;
    }

    /** Returns whether the key is free. After a commit that failed, the session may have the key for this very claim already. */
    @Override
    public boolean isAvailable(LockRow row, ClaimId claim) throws SQLException {
        look(row.name());
        LeaseId lease = ours;
        return spare != null
                || (lease != null
                        && lease.lock().equals(row.name())
                        && lease.claim().equals(claim));
    }

    @Override
    public boolean isAbandoned(LockRow row) {
        return abandoned;
    }

    @Override
    public LockRow insert(String name, TxContext now) {
        return rows.insert(name, now);
    }

    /** Returns the locks that are held, in the order of the rows, without those whose session is gone. */
    @Override
    public List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException {
        List<LockRow> busy = rows.busy(now, only);
        Map<String, Object> open = new HashMap<>();
        for (LockRow row : busy) {
            if (row.holders().all().stream().anyMatch(StoredLease::isOpenEnded)) {
                open.put(row.name(), key(row.name()));
            }
        }
        Set<Object> taken = open.isEmpty() ? Set.of() : keys.rules().taken(sql, new HashSet<>(open.values()));
        return busy.stream()
                .map(row ->
                        open.containsKey(row.name()) && !taken.contains(open.get(row.name())) ? row.heldBy(null) : row)
                .toList();
    }

    /** Claims that share a lock come from clients without session locks. They are only ever handed to. */
    @Override
    public StoredLease grant(LockRow row, Grantee grantee, TxContext now) throws SQLException {
        if (grantee.handed()) {
            StoredLease granted = rows.grant(row, grantee, now);
            leave(row);
            return granted;
        }
        StoredLease granted = rows.grantUntil(StoredLease.OPEN, row, grantee, now);
        adopt(row, grantee.claim(), granted, grantee.lease(), now);
        return granted.ending(now.in(grantee.lease()));
    }

    @Override
    public @Nullable StoredLease extend(LockRow row, StoredLease stored, Duration duration, TxContext now)
            throws SQLException {
        if (stored.claim() == null) {
            return null;
        }
        LeaseId lease = new LeaseId(row.name(), stored.claim(), stored.token());
        if (stored.isOpenEnded()) {
            Duration left = session.prolong(key(row.name()), lease, duration, now.sentAt());
            return left == null ? null : stored.ending(now.in(left));
        }
        if (!isAvailable(row, stored.claim())) {
            return null;
        }
        StoredLease confirmed = rows.extendUntil(StoredLease.OPEN, row, stored);
        adopt(row, stored.claim(), confirmed, duration, now);
        return confirmed.ending(now.in(duration));
    }

    private void adopt(LockRow row, ClaimId claim, StoredLease granted, Duration lease, TxContext now)
            throws SQLException {
        session.adopt(key(row.name()), new LeaseId(row.name(), claim, granted.token()), lease, now.sentAt());
        spare = null;
    }

    @Override
    public void share(LockRow row, StoredLease reader, TxContext now) {
        throw new UnsupportedOperationException(NOT_SHARED);
    }

    /** A lock that is kept is given back only after the commit: without the row it would not be kept. */
    @Override
    public void keep(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        rows.keep(row, held, duration, now);
    }

    @Override
    public void remove(LockRow row, StoredLease held) throws SQLException {
        rows.remove(row, held);
    }

    @Override
    public void free(LockRow row, TxContext now) throws SQLException {
        rows.free(row, now);
        leave(row);
    }

    /** The row is somebody else's, or nobody's, from the commit on. */
    private void leave(LockRow row) throws SQLException {
        LeaseId lease = ours;
        if (lease != null && lease.lock().equals(row.name())) {
            ours = null;
            session.drop(key(row.name()));
        }
    }

    /** Ends the session that has the key, and waits until it is gone. */
    @Override
    public void evict(LockRow row, StoredLease held) throws SQLException {
        if (!held.isOpenEnded() || ours != null) {
            return;
        }
        Object key = key(row.name());
        keys.rules().end(sql, key);
        long end = System.nanoTime() + EVICTION_NANOS;
        while (spare == null) {
            if (System.nanoTime() - end > 0) {
                throw new LockException(
                        "the session that holds the lock '" + row.name() + "' was told to end and has not"
                                + " done so; the lock is still held. Look at what the database's session is doing, and try again");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            looked = false;
            look(row.name());
        }
    }

    private Object key(String name) {
        return known.computeIfAbsent(name, keys::of);
    }

    /** Gives back what was taken and is not needed; to be called before the commit. */
    @Override
    public void close() throws SQLException {
        Object key = spare;
        if (key != null) {
            spare = null;
            session.drop(key);
        }
    }
}

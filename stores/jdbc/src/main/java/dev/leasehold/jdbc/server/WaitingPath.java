package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.protocol.BusyAnswer;
import dev.leasehold.jdbc.protocol.Holders;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.jdbc.protocol.WaiterRows.Waiter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waiting path is that of an operation that lets nobody in, because holders stand in everybody's way: each of its
 * statements is a transaction of its own, so the lock's row stays locked across no round trip. One object per operation;
 * every method answers null where a transaction has to look closer.
 *
 * <p>A transaction of a client that is far away would keep the row locked for several of its round trips, and the holder's
 * renewal would wait behind it, for longer than a short lease lasts. So those who can only wait do not lock it.
 *
 * <p>Why it is right. Leases and tokens are not touched here, so exclusion is not at stake: nothing is granted, extended or
 * taken but by single statements and transactions, as ever. The queue is at stake.
 *
 * <ul>
 *   <li><b>Nobody who waits is forgotten.</b> A waiter's row is inserted before it is counted in the lock's row, so once that is
 *       done, every release and withdrawal that follows finds it; and what made room before is seen by the look that comes
 *       <em>after</em> the counting. If that finds room for the first in the queue, a transaction hands over, as for any claim.
 *       A recount by a transaction can neither miss a row that has been counted nor come between the two in a way that makes
 *       the number too small. It may be too great after a withdrawal: then a single statement leaves the decision to a
 *       transaction, which counts anew.
 *   <li><b>Nobody overtakes.</b> A position is the database's time, or one more than the greatest. A claim stands in the queue once
 *       it is counted; before, no answer said that it does.
 *   <li><b>A place that was lost by silence is not regained.</b> Others know that they stand before a dead waiter. So
 *       a repeated request counts only for a row that is alive when it arrives, and a dead claim that asks again is moved to the
 *       end, by one statement: its row is counted already, and a row that somebody has removed meanwhile is not moved.
 *   <li><b>A waiter's own row</b> is changed by its client, and by transactions that remove it. A change that finds no row has
 *       been too late: the claim was granted, or had died; a transaction finds out which. And a transaction that meant to
 *       remove a row, to grant its claim, and finds none, begins anew: see {@link ServerWaiters}.
 *   <li><b>A look is several reads, and others may come in between.</b> It decides only that the claim goes on waiting. A release or
 *       withdrawal that makes room after the counting hands over itself. The next question finds what has run out in silence, as ever.
 *   <li><b>The connection breaks</b> between insert and count: the claim is known as {@code joining}, its repetition finds
 *       the row and counts it. If an insert arrives only when its client has given the claim up, the row is that of a dead waiter:
 *       the client's own last withdrawal removes it, or its liveness deadline.
 * </ul>
 */
final class WaitingPath {

    /** A view is the state of a lock as one look has shown it. */
    private record View(
            Holders holders,
            boolean shared,
            @Nullable Waiter own,
            boolean ownIsAlive,
            int place,
            @Nullable Integer firstShare,
            long lastPosition,
            TxContext now) {

        /** Returns whether there may be something to hand over, or for the claim to take. */
        boolean isOpenTo(ClaimId claim, int share) {
            if (holders.of(claim) != null) {
                return true;
            }
            return holders.admit(firstShare != null ? firstShare : share);
        }

        /** Returns the position of a claim that joins. */
        long end() {
            return Math.max(lastPosition + 1, now.micros());
        }

        View sharedBy(Holders several) {
            return new View(several, true, own, ownIsAlive, place, firstShare, lastPosition, now);
        }

        /** Returns whether others have the lock to themselves. */
        boolean isTakenFrom(ClaimId claim) {
            return holders.isExclusive() && holders.of(claim) == null;
        }
    }

    private final Sql sql;
    private final ServerSql texts;
    private final Object namespace;
    private final StoreContext context;
    private boolean joined;
    private boolean readElsewhere;

    WaitingPath(Sql sql, ServerSql texts, Object namespace, StoreContext context) {
        this.sql = sql;
        this.texts = texts;
        this.namespace = namespace;
        this.context = context;
    }

    /** Returns whether the queue may have changed, also where a method answered null, or failed. */
    boolean hasJoined() {
        return joined;
    }

    /** Returns whether a read did not see what had been written right before it, so that another server has answered. */
    boolean isReadElsewhere() {
        return readElsewhere;
    }

    /**
     * Has a claim wait.
     *
     * @param joining the client's claims that may have a row in the queue that is not counted
     */
    @Nullable ClaimAnswer claim(Claim claim, Set<ClaimId> joining) throws SQLException {
        View view = look(claim.lock(), claim.id());
        if (view != null && view.own() != null && joining.contains(claim.id())) {
            count(claim, joining);
        }
        if (view == null || view.isOpenTo(claim.id(), claim.share())) {
            return null;
        }
        if (!view.ownIsAlive() && claim.enqueue()) {
            boolean stands = view.own() == null ? join(claim, view, joining) : joinAgain(claim, view.own(), view);
            if (!stands) {
                return null;
            }
            view = look(claim.lock(), claim.id());
            readElsewhere = view != null && view.own() == null && isThere(claim);
            return view == null || !view.ownIsAlive() || view.isOpenTo(claim.id(), claim.share())
                    ? null
                    : busy(view, claim);
        }
        return hear(claim, view) ? busy(view, claim) : null;
    }

    /** Takes a claim out of the queue; tells whether it stood there. */
    @Nullable Boolean withdraw(String lock, ClaimId claim) throws SQLException {
        View view = look(lock, claim);
        if (view == null || view.own() == null) {
            return null;
        }
        joined = true;
        boolean removed = sql.change(
                        texts.removeWaiter,
                        namespace,
                        name(lock),
                        view.own().position(),
                        claim.client(),
                        claim.counter())
                > 0;
        View after = removed ? look(lock, claim) : null;
        boolean nothingToHandOver = after != null
                && after.own() == null
                && !after.isOpenTo(claim, view.own().share());
        return nothingToHandOver ? true : null;
    }

    /** Returns Lost if another claim holds the lock exclusively, otherwise null. */
    @Nullable RenewAnswer renew(String lock, ClaimId claim) throws SQLException {
        View view = look(lock, claim);
        return view != null && view.isTakenFrom(claim) ? new RenewAnswer.Lost() : null;
    }

    private static ClaimAnswer busy(View view, Claim claim) {
        Waiter own = view.ownIsAlive() ? view.own() : null;
        return own == null
                ? BusyAnswer.of(view.holders(), claim.share(), 0, view.now())
                : BusyAnswer.of(view.holders(), own.share(), view.place(), view.now());
    }

    /**
     * Inserts the claim's row, unless it is there and only another server, which was asked for the view, did not have it; then
     * counts it. False where another claim came to the same position.
     */
    private boolean join(Claim claim, View view, Set<ClaimId> joining) throws SQLException {
        joining.add(claim.id());
        joined = true;
        try {
            sql.change(
                    texts.join,
                    ServerWaiters.joining(
                            namespace, name(claim.lock()), view.end(), claim, context.owner(), view.now()));
        } catch (SQLException e) {
            if (ServerWaiters.isTaken(e)) {
                joining.remove(claim.id());
                return false;
            }
            throw e;
        }
        count(claim, joining);
        return true;
    }

    /** Moves the row of a claim that has died to the end. False if it is gone, or another came to the same position. */
    private boolean joinAgain(Claim claim, Waiter dead, View view) throws SQLException {
        joined = true;
        try {
            Object[] values = ServerWaiters.moved(
                    namespace, name(claim.lock()), dead, view.end(), claim, context.owner(), view.now());
            return sql.change(texts.moveWaiter, values) > 0;
        } catch (SQLException e) {
            if (ServerWaiters.isTaken(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Looks for the claim's row by a statement that only the server can answer which is written to. */
    private boolean isThere(Claim claim) throws SQLException {
        ClaimId id = claim.id();
        return sql.first(texts.lockWaiter, row -> 1, namespace, name(claim.lock()), id.client(), id.counter()) != null;
    }

    private void count(Claim claim, Set<ClaimId> joining) throws SQLException {
        sql.change(texts.countWaiter, namespace, name(claim.lock()));
        joining.remove(claim.id());
    }

    /** Returns false if the view shows a live row of the claim that has gone or died since. */
    private boolean hear(Claim claim, View view) throws SQLException {
        Waiter own = view.own();
        return own == null
                || !view.ownIsAlive()
                || sql.change(
                                texts.hearWaiter,
                                ServerWaiters.word(namespace, name(claim.lock()), own, claim, view.now()))
                        > 0;
    }

    private @Nullable View look(String lock, ClaimId claim) throws SQLException {
        Object name = name(lock);
        View first = sql.first(texts.waitingView, this::read, claim.client(), claim.counter(), namespace, name);
        if (first == null || !first.shared()) {
            return first;
        }
        Holders holders =
                new ServerHolders(sql, texts, namespace).of(lock, first.now()).alive();
        return first.sharedBy(holders);
    }

    private View read(ResultSet row) throws SQLException {
        ServerLocks.Raw raw = ServerLocks.read(row);
        long micros = row.getLong(10);
        TxContext now = new TxContext(context.time().now(), "", micros, micros, new ArrayList<>());
        StoredLease held = raw.stored();
        Holders holders = !raw.isShared() && held.ends() > micros ? new Holders(List.of(held)) : Holders.NONE;
        int firstShare = row.getInt(11);
        boolean anyWaits = !row.wasNull();
        long lastPosition = row.getLong(12);
        int place = row.getInt(13);
        long position = row.getLong(14);
        Waiter own = null;
        if (!row.wasNull()) {
            ClaimId claim = new ClaimId(row.getString(15), row.getLong(16));
            Duration lease = Duration.of(row.getLong(18), ChronoUnit.MICROS);
            own = new Waiter(position, claim, row.getString(17), lease, row.getInt(19), row.getInt(20));
        }
        boolean alive = own != null && row.getLong(21) > micros;
        return new View(holders, raw.isShared(), own, alive, place, anyWaits ? firstShare : null, lastPosition, now);
    }

    private Object name(String lock) {
        return texts.dialect().name(lock);
    }
}

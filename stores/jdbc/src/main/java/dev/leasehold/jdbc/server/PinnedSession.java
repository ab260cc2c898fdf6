package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.dialect.SessionRules;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A pinned session is the one session of a client whose locks in the database are the client's leases. Thread-safe; all of
 * its state belongs to one thread.
 *
 * <p>Why a lease is never believed for longer than the session lives. The server ends a session that has been idle for its
 * limit. The limit is never below the longest duration that any lease held by it was asked for, and is raised before such a
 * lease is granted or renewed. A lease counts from the moment <em>before</em> a statement was sent that the session has
 * answered: when the server answered it, the session lived, and its idle time began anew, later than that moment. So as long
 * as nobody but the idle limit ends the session, it outlives every lease; a client that is stopped, or cut off, finds its
 * deadline passed before anybody else can have the lock. If the session ends otherwise (the server is restarted, an operator
 * ends it, a proxy cuts the connection) all leases are lost at that moment, and that is noticed at the next statement: at
 * the latest after a third of the limit or ten seconds.
 *
 * <p>Why two claims never share a lock here. To the server both are the same session, and it would give it a lock twice. So
 * the server is asked only for keys that are not among the {@link HeldKeys}, and each that was taken is given back once.
 */
final class PinnedSession {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final long LEAST_LIMIT_MILLIS = 1_000;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    private static final long LEAST_PAUSE_NANOS = 10_000_000;

    /** This is the longest lease: what PostgreSQL can count, in milliseconds. */
    static final Duration LONGEST = Duration.ofDays(24);

    /** A client is what the session is for. */
    interface Client {
        /** Borrows a connection to keep. */
        PooledConnection connect() throws SQLException;

        /** A lease is over that nobody has released. */
        void expired(String lock);

        /** A lease that is not held here, as far as the session knows, is to be renewed. */
        void renewOtherwise(Renewals.Renewal renewal);
    }

    /** This says who has a key. */
    enum Who {
        /** This session has it, for a lease. */
        LEASE,
        /** Nobody had it; now this session has it, until it is given back or becomes a lease's. */
        NOBODY,
        /** Another session has it, or another user of it here. */
        OTHERS
    }

    /** A found owner says who has a key.
     *
     * @param lease the lease of this session's, or null
     */
    record Found(Who who, @Nullable LeaseId lease) {}

    private final StoreContext context;
    private final Client client;
    private final SessionThread thread;
    private final PinnedConnection connection;

    private final Guard gathering = new Guard();
    private List<Renewals.Renewal> gathered = new ArrayList<>();

    // The thread's own.
    private final HeldKeys held;
    private TimeSource.@Nullable Timer timer;
    private long timerAt;

    PinnedSession(String name, StoreContext context, Client client) {
        this.context = context;
        this.client = client;
        this.held = new HeldKeys(context.time());
        this.thread = new SessionThread(name);
        this.connection = new PinnedConnection(client::connect, context.time(), this::lost);
    }

    String client() {
        return context.clientId();
    }

    /**
     * Opens the session, unless it is open; refuses connections that are lent per transaction. Borrows two connections,
     * and keeps one; the caller should have none.
     */
    void ready(SessionRules rules) throws SQLException {
        if (connection.isOpen()) {
            return;
        }
        thread.call(() -> {
            if (!connection.isOpen()) {
                connection.open(rules);
                arm(connection.lastSent() + nanosToPing());
            }
            return true;
        });
    }

    /**
     * Finds out who has a key, by trying to take it. If nobody had it, the caller has to {@link #drop} it, or to {@link
     * #adopt} it.
     */
    Found look(Object key) throws SQLException {
        return thread.call(() -> {
            HeldKeys.Holding holding = held.get(key);
            if (holding == null) {
                if (!connection.take(key)) {
                    return new Found(Who.OTHERS, null);
                }
            } else {
                LeaseId lease = holding.lease();
                if (lease == null) {
                    return new Found(Who.OTHERS, null);
                }
                if (held.isLive(holding)) {
                    return new Found(Who.LEASE, lease);
                }
                connection.ping(); // The lease is over; what is left of it is the key, if the session still has it.
            }
            held.put(key, HeldKeys.Holding.UNDECIDED);
            return new Found(Who.NOBODY, null);
        });
    }

    /** Makes a key that was taken a lease's. */
    void adopt(Object key, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        thread.call(() -> {
            HeldKeys.Holding before = held.get(key);
            if (before == null) {
                throw new SessionBroken(null);
            }
            long needed = HeldKeys.limitFor(duration);
            if (needed > connection.limit() || (needed < connection.limit() && held.isSingle())) {
                limitTo(needed);
            } else if (before.lease() != null) {
                connection.ping(); // It was not taken just now.
            }
            hold(key, new HeldKeys.Holding(lease, needed, sentAt.nanos() + TxContext.micros(duration) * 1_000));
            return true;
        });
    }

    /**
     * Prolongs a lease of this session's.
     *
     * @param sentAt when this was asked for
     * @return what is left of it, counted from {@code sentAt}; null if it is over
     */
    @Nullable Duration prolong(Object key, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        Duration left = thread.call(() -> {
            HeldKeys.Holding holding = held.get(key);
            if (holding == null || !lease.equals(holding.lease()) || !held.isLive(holding)) {
                return Duration.ZERO;
            }
            if (HeldKeys.limitFor(duration) > connection.limit()) {
                limitTo(HeldKeys.limitFor(duration));
            } else {
                connection.ping();
            }
            return prolonged(key, holding, duration, sentAt);
        });
        return left.isZero() ? null : left;
    }

    /** Prolongs a hold when the session has answered something that was sent after {@code sentAt}. */
    private Duration prolonged(Object key, HeldKeys.Holding holding, Duration duration, ClockReading sentAt) {
        long left = Math.max(holding.until() - sentAt.nanos(), TxContext.micros(duration) * 1_000);
        long limit = Math.max(holding.limit(), HeldKeys.limitFor(duration));
        hold(key, new HeldKeys.Holding(holding.lease(), limit, sentAt.nanos() + left));
        return Duration.ofNanos(left).truncatedTo(ChronoUnit.MICROS);
    }

    /** Gives a key back, if the session has it. */
    void drop(Object key) throws SQLException {
        thread.call(() -> {
            if (held.remove(key)) {
                try {
                    connection.give(key);
                } catch (SQLException e) {
                    LOG.log(Level.DEBUG, "giving back a lock", e); // With the session it is free as well.
                }
            }
            return true;
        });
    }

    /** Gives back what the session has of a lock for these leases, if anything. */
    void dropIf(String lock, Predicate<LeaseId> which) {
        try {
            List<Object> keys = thread.call(() -> held.of(lock, which));
            for (Object key : keys) {
                drop(key);
            }
        } catch (SQLException | LockException e) {
            LOG.log(Level.DEBUG, "giving back a lock", e); // It ends with the session, or when its lease is over.
        }
    }

    /** Renews, soon, with all others that come meanwhile by one question. Does not block. */
    void renew(Renewals.Renewal renewal) {
        boolean first;
        gathering.lock();
        try {
            first = gathered.isEmpty();
            gathered.add(renewal);
        } finally {
            gathering.unlock();
        }
        if (first) {
            submit(this::renewGathered);
        }
    }

    private void renewGathered() {
        List<Renewals.Renewal> batch;
        gathering.lock();
        try {
            batch = gathered;
            gathered = new ArrayList<>();
        } finally {
            gathering.unlock();
        }
        Map<LeaseId, Object> keys = held.byLease();
        Map<Renewals.Renewal, Object> ours = new HashMap<>();
        long limit = LEAST_LIMIT_MILLIS;
        for (Renewals.Renewal renewal : batch) {
            Object key = keys.get(renewal.lease());
            if (key == null) {
                client.renewOtherwise(renewal);
            } else {
                ours.put(renewal, key);
                limit = Math.max(limit, HeldKeys.limitFor(renewal.duration()));
            }
        }
        if (ours.isEmpty()) {
            return;
        }
        ClockReading sentAt = context.time().now();
        ask(limit);
        ours.forEach((renewal, key) -> {
            HeldKeys.Holding holding = held.get(key);
            if (holding == null || !held.isLive(holding)) {
                renewal.operation().succeed(new RenewAnswer.Lost());
            } else {
                Duration left = prolonged(key, holding, renewal.duration(), sentAt);
                renewal.operation().succeed(new RenewAnswer.Renewed(Validity.of(sentAt, left)));
            }
        });
    }

    /** Asks whether the session lives, with the limit that it needs from now on. If it does not, nothing is held any more. */
    private void ask(long atLeast) {
        long limit = held.limit(atLeast);
        try {
            if (limit != connection.limit()) {
                limitTo(limit);
            } else {
                connection.ping();
            }
        } catch (SQLException | LockException e) {
            LOG.log(Level.DEBUG, "asking whether the session lives", e);
        }
    }

    private void limitTo(long millis) throws SQLException {
        connection.limitTo(millis);
        arm(connection.lastSent() + nanosToPing());
    }

    /** The session is of no use any more, and nothing is held. */
    private void lost() {
        boolean any = held.haveLease();
        held.clear();
        if (any) {
            LOG.log(Level.DEBUG, "the session that holds the locks is gone");
            context.signals().doubt(null);
        }
    }

    private void hold(Object key, HeldKeys.Holding holding) {
        held.put(key, holding);
        arm(holding.until());
    }

    private long nanosToPing() {
        return Math.min(connection.limit() / 3, MOST_PAUSE_MILLIS) * 1_000_000;
    }

    /** Has {@link #tick} called at a time, or before. */
    private void arm(long at) {
        if (timer != null && timerAt - at <= 0) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        timerAt = at;
        Duration pause = Duration.ofNanos(Math.max(0, at - context.time().nanos()));
        timer = context.time().schedule(pause, () -> submit(this::tick));
    }

    /** Has what is over given back, asks whether the session lives, and returns a connection that nothing needs. */
    private void tick() {
        timer = null;
        if (!connection.isOpen()) {
            return;
        }
        long now = context.time().nanos();
        held.expired().forEach(client::expired);
        if (now - connection.lastSent() >= nanosToPing()) {
            if (held.isEmpty()) {
                connection.giveBack();
                return;
            }
            ask(LEAST_LIMIT_MILLIS);
        }
        if (connection.isOpen()) {
            long next = held.firstEnd(connection.lastSent() + nanosToPing());
            arm(next - now > LEAST_PAUSE_NANOS ? next : now + LEAST_PAUSE_NANOS);
        }
    }

    /** Has the thread do something that must not end it. */
    private void submit(Runnable work) {
        thread.submit(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "the session that holds the locks failed", e);
                connection.end();
            }
        });
    }

    /** Ends the session, and what it holds. */
    void close() {
        thread.close(
                () -> {
                    if (timer != null) {
                        timer.cancel();
                    }
                    held.clear();
                    connection.giveBack();
                },
                connection::abort);
    }
}

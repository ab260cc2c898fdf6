package dev.leasehold.jdbc;

import dev.leasehold.LockException;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import dev.leasehold.spi.Validity;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one session of a client whose locks in the database are the client's leases. Thread-safe; all of its state and its
 * connection belong to one daemon thread.
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
 * the server is asked only for keys that are not in {@link #held}; whoever has taken one gives it back once.
 *
 * <p>No statement on this connection ever waits for a lock or a row, so whoever waits holds up no renewal.
 */
final class PinnedSession {

    private static final Logger LOG = System.getLogger(PinnedSession.class.getName());

    private static final long LEAST_LIMIT_MILLIS = 1_000;
    private static final long FIRST_LIMIT_MILLIS = 30_000;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    private static final long CLOSING_MILLIS = 1_000;
    private static final long LEAST_PAUSE_NANOS = 10_000_000;

    /** The longest lease: what PostgreSQL can count, in milliseconds. */
    static final Duration LONGEST = Duration.ofDays(24);

    /** What the session is for. */
    interface Client {
        /** Borrows a connection to keep. */
        Borrowed connect() throws SQLException;

        /** A lease is over that nobody has released. */
        void expired(String lock);

        /** A lease that is not held here, as far as the session knows, is to be renewed. */
        void renewOtherwise(Renewals.Renewal renewal);
    }

    /** Who has a key. */
    enum Who {
        /** This session, for a lease. */
        LEASE,
        /** Nobody had it; now this session, until it is given back or becomes a lease's. */
        NOBODY,
        /** Another session, or another user of it here. */
        OTHERS
    }

    /**
     * Who has a key.
     *
     * @param lease the lease of this session's, or null
     */
    record Found(Who who, @Nullable LeaseId lease) {}

    /**
     * A key that the session has.
     *
     * @param lease what for; null as long as that is being decided
     * @param limit the idle limit that it needs
     * @param until when the lease is over, if nobody does anything
     */
    private record Holding(@Nullable LeaseId lease, long limit, long until) {}

    private record Pin(Borrowed borrowed, SessionRules rules, long session, long before) {}

    @FunctionalInterface
    private interface Work<T> {
        T on(Pin pin) throws SQLException;
    }

    private final StoreContext context;
    private final Client client;
    private final Workers thread;
    private final Map<Object, CompletableFuture<?>> calls = new ConcurrentHashMap<>();
    private volatile boolean open;
    private volatile boolean closed;
    private volatile @Nullable Connection lent;

    private final ReentrantLock gathering = new ReentrantLock();
    private List<Renewals.Renewal> gathered = new ArrayList<>();

    // The thread's own.
    private final Map<Object, Holding> held = new HashMap<>();
    private @Nullable Pin pin;
    private long limit;
    private long lastSent;
    private TimeSource.@Nullable Timer timer;
    private long timerAt;

    PinnedSession(String name, StoreContext context, Client client) {
        this.context = context;
        this.client = client;
        this.thread = new Workers(name, 1);
    }

    String client() {
        return context.clientId();
    }

    /**
     * Opens the session, unless it is open; refuses connections that are lent per transaction. Borrows two connections, and
     * keeps one; whoever calls this should have none.
     */
    void ready(SessionRules rules) throws SQLException {
        if (!open) {
            call(() -> {
                if (pin == null) {
                    open(rules);
                }
                return true;
            });
        }
    }

    /**
     * Finds out who has a key, by trying to take it. If nobody had it, the caller has to {@link #drop} it, or to {@link
     * #adopt} it.
     */
    Found look(Object key) throws SQLException {
        return call(() -> {
            Holding holding = held.get(key);
            if (holding != null) {
                LeaseId lease = holding.lease();
                if (lease == null) {
                    return new Found(Who.OTHERS, null);
                }
                if (holding.until() - context.time().nanos() > 0) {
                    return new Found(Who.LEASE, lease);
                }
                ping();
                held.put(key, new Holding(null, 0, 0)); // The lease is over; what is left of it is the key.
                return new Found(Who.NOBODY, null);
            }
            SessionRules.Answer answer =
                    send(at -> at.rules().take(at.borrowed().sql(), key));
            expectSame(answer.session());
            if (!answer.yes()) {
                return new Found(Who.OTHERS, null);
            }
            held.put(key, new Holding(null, 0, 0));
            return new Found(Who.NOBODY, null);
        });
    }

    /** Makes a key that was taken a lease's. */
    void adopt(Object key, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        call(() -> {
            Holding before = held.get(key);
            if (before == null) {
                throw new SessionBroken(null);
            }
            long needed = millis(duration);
            if (needed > limit || (needed < limit && held.size() == 1)) {
                limitTo(needed);
            } else if (before.lease() != null) {
                ping(); // It was not taken just now.
            }
            hold(key, new Holding(lease, needed, sentAt.nanos() + Turn.micros(duration) * 1_000));
            return true;
        });
    }

    /**
     * Prolongs a lease of this session's; the caller has seen since {@code sentAt} that it is there.
     *
     * @return what is left of it, counted from {@code sentAt}; null if it is over
     */
    @Nullable Duration prolong(Object key, LeaseId lease, Duration duration, ClockReading sentAt) throws SQLException {
        Duration left = call(() -> {
            Holding holding = held.get(key);
            if (holding == null || !isLive(holding, lease)) {
                return Duration.ZERO;
            }
            if (millis(duration) > limit) {
                limitTo(millis(duration));
            } else {
                ping();
            }
            return prolonged(key, holding, duration, sentAt);
        });
        return left.isZero() ? null : left;
    }

    private Duration prolonged(Object key, Holding holding, Duration duration, ClockReading sentAt) {
        long left = Math.max(holding.until() - sentAt.nanos(), Turn.micros(duration) * 1_000);
        hold(key, new Holding(holding.lease(), Math.max(holding.limit(), millis(duration)), sentAt.nanos() + left));
        return Duration.ofNanos(left).truncatedTo(ChronoUnit.MICROS);
    }

    /** Gives a key back, if the session has it. */
    void drop(Object key) throws SQLException {
        call(() -> {
            if (held.remove(key) != null && pin != null) {
                try {
                    expectSame(send(at -> at.rules().give(at.borrowed().sql(), key))
                            .session());
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
            List<Object> keys = call(() -> held.entrySet().stream()
                    .filter(entry -> {
                        LeaseId lease = entry.getValue().lease();
                        return lease != null && lease.lock().equals(lock) && which.test(lease);
                    })
                    .map(Map.Entry::getKey)
                    .toList());
            for (Object key : keys) {
                drop(key);
            }
        } catch (SQLException | LockException e) {
            LOG.log(Level.DEBUG, "giving back a lock", e); // It ends with the session, or when its lease is over.
        }
    }

    /** Renews, soon, with all others that come meanwhile in one statement. Does not block. */
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
        Map<LeaseId, Object> keys = new HashMap<>();
        held.forEach((key, holding) -> {
            if (holding.lease() != null) {
                keys.put(holding.lease(), key);
            }
        });
        List<Renewals.Renewal> ours = new ArrayList<>();
        for (Renewals.Renewal renewal : batch) {
            if (keys.containsKey(renewal.lease())) {
                ours.add(renewal);
            } else {
                client.renewOtherwise(renewal);
            }
        }
        if (ours.isEmpty()) {
            return;
        }
        ClockReading sentAt = context.time().now();
        try {
            long needed = LEAST_LIMIT_MILLIS;
            for (Renewals.Renewal renewal : ours) {
                needed = Math.max(needed, millis(renewal.duration()));
            }
            fit(needed);
            ping();
        } catch (SQLException | LockException e) {
            LOG.log(Level.DEBUG, "renewing", e);
        }
        for (Renewals.Renewal renewal : ours) {
            Object key = keys.get(renewal.lease());
            Holding holding = key == null ? null : held.get(key);
            if (key == null || holding == null || !isLive(holding, renewal.lease())) {
                renewal.job().succeed(new RenewAnswer.Lost());
            } else {
                Duration left = prolonged(key, holding, renewal.duration(), sentAt);
                renewal.job().succeed(new RenewAnswer.Renewed(Validity.of(sentAt, left)));
            }
        }
    }

    private boolean isLive(Holding holding, LeaseId lease) {
        return lease.equals(holding.lease()) && holding.until() - context.time().nanos() > 0;
    }

    private void open(SessionRules rules) throws SQLException {
        Borrowed mine = client.connect();
        try {
            Sql sql = mine.sql();
            long session = rules.session(sql);
            refuseIfPooled(sql, session, rules);
            Long before = rules.idleMillis(sql);
            if (before == null) {
                throw new LockException("the database has no idle limit for sessions, which session locks are bound to"
                        + " (PostgreSQL has it from version 14 on); nothing was locked. Use another version, or leave"
                        + " leasehold.sessionLocks out");
            }
            rules.limitIdle(sql, FIRST_LIMIT_MILLIS);
            Long found = rules.idleMillis(sql);
            if (found == null || found != FIRST_LIMIT_MILLIS) {
                throw pooled();
            }
            pin = new Pin(mine, rules, session, before);
            lent = mine.connection();
            limit = FIRST_LIMIT_MILLIS;
            lastSent = context.time().nanos();
            open = true;
            arm(lastSent + nanosToPing());
        } catch (SQLException | RuntimeException e) {
            mine.spoil();
            mine.close();
            throw e;
        }
    }

    /**
     * Behind a pooler that lends sessions per transaction, this one is free again by now: a transaction on another
     * connection gets it, or else we get another one while that lasts.
     */
    private void refuseIfPooled(Sql sql, long session, SessionRules rules) throws SQLException {
        try (Borrowed other = client.connect()) {
            other.autoCommit(false);
            boolean same = rules.session(other.sql()) == session;
            boolean stays = !same && rules.session(sql) == session;
            other.rollBack();
            if (!stays) {
                throw pooled();
            }
        }
    }

    private static LockException pooled() {
        return new LockException(
                "session locks need a session of their own, but the database session changes, or forgets"
                        + " its settings, from one transaction to the next: there seems to be a pooler in between that lends"
                        + " sessions per transaction; nothing was locked. Connect to the database directly, or through a pooler in"
                        + " session mode, or leave leasehold.sessionLocks out");
    }

    /** Sends something on the pinned connection. Whatever fails there leaves in doubt what the session has: it ends. */
    private <T> T send(Work<T> work) throws SQLException {
        Pin at = pin;
        if (at == null) {
            throw new SessionBroken(null);
        }
        lastSent = context.time().nanos();
        try {
            return work.on(at);
        } catch (SQLException e) {
            lost();
            throw Dialect.isBroken(e) ? new SessionBroken(e) : e;
        }
    }

    private void expectSame(long session) {
        Pin at = pin;
        if (at != null && at.session() != session) {
            lost();
            throw pooled();
        }
    }

    private void ping() throws SQLException {
        expectSame(send(at -> at.rules().session(at.borrowed().sql())));
    }

    private void limitTo(long millis) throws SQLException {
        send(at -> {
            at.rules().limitIdle(at.borrowed().sql(), millis);
            return true;
        });
        limit = millis;
        ping();
        arm(lastSent + nanosToPing());
    }

    /** Makes the limit what is needed now, if it is not. */
    private void fit(long atLeast) throws SQLException {
        long needed = atLeast;
        for (Holding holding : held.values()) {
            needed = Math.max(needed, holding.limit());
        }
        if (needed != limit) {
            limitTo(needed);
        }
    }

    private static long millis(Duration duration) {
        return Math.max(LEAST_LIMIT_MILLIS, (Turn.micros(duration) / 1_000 / 1_000 + 1) * 1_000);
    }

    /** The session is of no use any more, and nothing is held. */
    private void lost() {
        Pin at = pin;
        pin = null;
        open = false;
        boolean any = held.values().stream().anyMatch(holding -> holding.lease() != null);
        held.clear();
        if (at != null) {
            at.borrowed().spoil();
            at.borrowed().close();
        }
        if (any) {
            LOG.log(Level.DEBUG, "the session that holds the locks is gone");
            context.signals().doubt(null);
        }
    }

    private void hold(Object key, Holding holding) {
        held.put(key, holding);
        arm(holding.until());
    }

    private long nanosToPing() {
        return Math.min(limit / 3, MOST_PAUSE_MILLIS) * 1_000_000;
    }

    /** Has {@link #tick} called at a time, or before. */
    private void arm(long at) {
        if (closed || (timer != null && timerAt - at <= 0)) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        timerAt = at;
        timer = context.time()
                .schedule(Duration.ofNanos(Math.max(0, at - context.time().nanos())), () -> submit(this::tick));
    }

    /** Has what is over given back, asks whether the session lives, and returns a connection that nothing needs. */
    private void tick() {
        timer = null;
        long now = context.time().nanos();
        List<String> over = new ArrayList<>();
        for (Holding holding : held.values()) {
            LeaseId lease = holding.lease();
            if (lease != null && holding.until() - now <= 0) {
                over.add(lease.lock());
            }
        }
        over.forEach(client::expired);
        boolean due = now - lastSent >= nanosToPing();
        if (due && held.isEmpty()) {
            giveBack();
        } else if (due && pin != null) {
            try {
                fit(LEAST_LIMIT_MILLIS);
                ping();
            } catch (SQLException | LockException e) {
                LOG.log(Level.DEBUG, "asking whether the session lives", e);
            }
        }
        if (pin != null) {
            long next = lastSent + nanosToPing();
            for (Holding holding : held.values()) {
                if (holding.lease() != null && holding.until() - now > 0 && holding.until() - next < 0) {
                    next = holding.until();
                }
            }
            arm(next - now > LEAST_PAUSE_NANOS ? next : now + LEAST_PAUSE_NANOS);
        }
    }

    /** Frees everything, and gives the connection back as it was. */
    private void giveBack() {
        Pin at = pin;
        pin = null;
        open = false;
        held.clear();
        if (at == null) {
            return;
        }
        try (Borrowed borrowed = at.borrowed()) {
            try {
                at.rules().giveAll(borrowed.sql());
                at.rules().limitIdle(borrowed.sql(), at.before());
            } catch (SQLException e) {
                borrowed.spoil();
                LOG.log(Level.DEBUG, "giving back the pinned connection", e);
            }
        }
    }

    /** Lets the thread do something that may not end it, whatever happens. */
    private void submit(Runnable work) {
        thread.submit(new Workers.Task(null, () -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "keeping a session for locks", e);
                lost();
            }
        }));
    }

    /** Lets the thread do something, and waits for it. */
    private <T> T call(Callable<T> work) throws SQLException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Object call = new Object();
        calls.put(call, answer);
        try {
            Runnable task = () -> {
                try {
                    answer.complete(work.call());
                } catch (Exception | Error e) {
                    answer.completeExceptionally(e);
                }
            };
            if (closed || !thread.submit(new Workers.Task(null, task))) {
                throw new LockException("this client has been closed; nothing was done");
            }
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        } finally {
            calls.remove(call);
        }
    }

    /** Ends the session, and what it holds. */
    void close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        thread.submit(new Workers.Task(null, () -> {
            TimeSource.Timer last = timer;
            if (last != null) {
                last.cancel();
            }
            giveBack();
            done.complete(null);
        }));
        closed = true;
        try {
            done.get(CLOSING_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.DEBUG, "closing", e);
            abort();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.close();
        for (CompletableFuture<?> call : calls.values()) {
            call.completeExceptionally(new LockException("this client was closed meanwhile"));
        }
    }

    /** The thread is stuck in a socket. */
    private void abort() {
        Connection stuck = lent;
        try {
            if (stuck != null) {
                stuck.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "closing", e);
        }
    }
}

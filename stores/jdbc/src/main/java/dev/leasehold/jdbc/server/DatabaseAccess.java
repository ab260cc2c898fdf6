package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.NoConnection;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.SessionRules;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Database access is that of one client: it borrows connections in the state that the database needs, finds out once what
 * the database is, and notices when the pool has nothing left to lend. Thread-safe; blocks.
 */
public final class DatabaseAccess {

    private static final long STARVED_NANOS = 100_000_000;
    private static final long MIN_TIMEOUT_MILLIS = 100;
    private static final long MAX_TIMEOUT_MILLIS = 5_000;

    private final ConnectionSource source;
    private final SchemaCheck schemaCheck;
    private final String store;
    private final StoreContext context;
    private final Notifier notifier;
    private final Consumer<String> added;
    private final @Nullable PinnedSession session;
    private final ReentrantLock opening = new ReentrantLock();
    private final Map<Object, Long> asking = new ConcurrentHashMap<>();

    private volatile @Nullable ReadyDatabase ready;
    private volatile boolean gotNone;
    private final AtomicBoolean elsewhere = new AtomicBoolean();

    /**
     * Makes an access; connects to nothing yet.
     *
     * @param added hears of locks that had no row
     * @param session the session whose locks decide, or null where the rows do
     */
    DatabaseAccess(
            ConnectionSource source,
            SchemaCheck schemaCheck,
            String store,
            StoreContext context,
            Notifier notifier,
            Consumer<String> added,
            @Nullable PinnedSession session) {
        this.source = source;
        this.schemaCheck = schemaCheck;
        this.store = store;
        this.context = context;
        this.notifier = notifier;
        this.added = added;
        this.session = session;
    }

    /**
     * Returns how long to wait for a connection, or for an answer on it: somewhat less than a client waits for the store.
     */
    public static Duration databaseTimeout(Duration storeTimeout) {
        return Duration.ofMillis(
                Math.max(MIN_TIMEOUT_MILLIS, Math.min(MAX_TIMEOUT_MILLIS, storeTimeout.toMillis() / 2)));
    }

    PooledConnection borrow() throws SQLException {
        Object asker = new Object();
        asking.put(asker, System.nanoTime());
        try {
            return fromPool();
        } catch (SQLException e) {
            NoConnection none = exhausted(e);
            gotNone = none != null;
            throw none == null ? e : none;
        } finally {
            asking.remove(asker);
        }
    }

    /** Returns whether it is for the pool, and not for the database, that there was no connection. */
    private @Nullable NoConnection exhausted(SQLException e) {
        String said = NoConnection.reason(e);
        return said == null ? null : new NoConnection(said, e);
    }

    /** Returns why callers wait in vain for a connection, or null if that cannot be seen. */
    @Nullable NoConnection exhausted() {
        String why = isStarved() ? source.exhausted() : null;
        return why == null ? null : new NoConnection(why, null);
    }

    /** Notes that the calling thread asks for a lock, or gives one back. */
    void calling() {
        source.calling();
    }

    /** Returns a connection to keep for longer. */
    PooledConnection lend() throws SQLException {
        return settled(fromPool());
    }

    private PooledConnection fromPool() throws SQLException {
        PooledConnection borrowed = PooledConnection.from(
                source, (int) databaseTimeout(context.storeTimeout()).toMillis());
        gotNone = false;
        return borrowed;
    }

    /** Returns a connection that the pool has at hand, for the thread of a caller; see {@link CallerRunsPolicy}. */
    PooledConnection lendAtOnce() throws SQLException {
        return settled(PooledConnection.ready(source, CallerRunsPolicy.POOL_MILLIS, CallerRunsPolicy.LIMIT_MILLIS));
    }

    private PooledConnection settled(PooledConnection borrowed) throws SQLException {
        ReadyDatabase known = ready;
        if (known == null) {
            return borrowed;
        }
        try {
            known.settle(borrowed);
            return borrowed;
        } catch (SQLException | RuntimeException e) {
            borrowed.spoil();
            borrowed.close();
            throw e;
        }
    }

    /** Returns whether somebody got no connection, or has been waiting for so long that there may be none left. */
    boolean isStarved() {
        long now = System.nanoTime();
        return gotNone
                || (!source.hasOneToSpare() && asking.values().stream().anyMatch(since -> now - since > STARVED_NANOS));
    }

    /** Returns whether the database tells a session of ours what is new; a pooler's sessions are others' as well. */
    boolean canListen() {
        ReadyDatabase known = ready;
        return known != null
                && known.texts().dialect().canNotify()
                && !known.found().throughPooler();
    }

    /** Returns whether reads outside of transactions are known to be answered by another server. */
    boolean isReadElsewhere() {
        return elsewhere.get();
    }

    /** Notes that a row could not be seen right after its insert. */
    void readElsewhere() {
        if (elsewhere.compareAndSet(false, true)) {
            System.getLogger("dev.leasehold.jdbc")
                    .log(
                            System.Logger.Level.WARNING,
                            "the store " + store
                                    + " did not see its own row right after it had inserted it: something in"
                                    + " between sends reads to another server (a pooler that balances loads, a reader"
                                    + " endpoint). Locks are as right, but waiters hear of them late. Have all statements of"
                                    + " this user sent to the primary (docs/sql.md)");
        }
    }

    /** Works with a borrowed connection, in auto-commit mode, for something that is not an operation. */
    <T> T with(Work<T> work) throws SQLException {
        try (PooledConnection borrowed = borrow()) {
            try {
                return work.on(borrowed, ready(borrowed));
            } catch (SQLException e) {
                borrowed.undo(e);
                throw e;
            }
        }
    }

    /** Work is what to do with a connection. */
    @FunctionalInterface
    interface Work<T> {
        T on(PooledConnection borrowed, ReadyDatabase at) throws SQLException;
    }

    /** Returns what is known of the database, or null before it was seen. */
    @Nullable ReadyDatabase known() {
        return ready;
    }

    /** Returns what to say if it is for tables that are gone, after which the database is looked at anew, or for rights; else null. */
    @Nullable LockException missing(SQLException e) {
        ReadyDatabase known = ready;
        if (known == null) {
            return null;
        }
        if (known.texts().dialect().isDenied(e)) {
            return schemaCheck.denied(known.texts().tables(), e);
        }
        if (!known.texts().dialect().isMissingTable(e)) {
            return null;
        }
        ready = null;
        return schemaCheck.missing(known.texts().tables(), e);
    }

    /**
     * Returns the database as it has been seen, at the latest on this connection. The connection is settled for it, also if it was
     * borrowed before the database had been seen on another.
     */
    ReadyDatabase ready(PooledConnection borrowed) throws SQLException {
        ReadyDatabase known = ready;
        if (known == null) {
            known = seen(borrowed);
        }
        known.settle(borrowed);
        return known;
    }

    private ReadyDatabase seen(PooledConnection borrowed) throws SQLException {
        opening.lock();
        try {
            ReadyDatabase known = ready;
            if (known == null) {
                SchemaCheck.Found found = schemaCheck.find(borrowed);
                Object namespace = found.texts().dialect().name(context.namespace());
                StoreContext fitting = new StoreContext(
                        context.identity(),
                        found.texts().dialect().fitting(context.owner(), borrowed.sql()),
                        context.namespace(),
                        context.time(),
                        context.storeTimeout(),
                        context.signals());
                SessionKeys keys = session == null ? null : keys(found.texts().tables(), borrowed.sql());
                known = new ReadyDatabase(
                        found,
                        namespace,
                        fitting,
                        new SingleStatementPath(found.texts(), namespace, fitting.owner(), added),
                        new TransactionalPath(found.texts(), namespace, fitting, session, keys),
                        keys,
                        source.limitsWaits() && !found.throughPooler());
                ready = known;
                notifier.opened(known);
            }
            return known;
        } finally {
            opening.unlock();
        }
    }

    private SessionKeys keys(Tables tables, Sql sql) throws SQLException {
        SessionRules rules = tables.dialect().sessions();
        if (rules == null) {
            throw new LockException("the store " + store + " has no locks that belong to a session; nothing was locked."
                    + " leasehold.sessionLocks is for PostgreSQL, MariaDB and MySQL: leave it out");
        }
        rules.check(sql);
        return new SessionKeys(rules, rules.place(sql, tables), tables.prefix(), context.namespace());
    }
}

package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.NoConnection;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.ServerSql;
import dev.leasehold.jdbc.dialect.SessionRules;
import dev.leasehold.jdbc.dialect.Tables;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries jobs out, each on a connection that it borrows for that. Thread-safe; blocks.
 *
 * <p>Until a single statement is sent in auto-commit mode, or a commit is, nothing has happened. What the database has
 * certainly undone (a deadlock, a serialisation failure) is done again here. If a connection breaks when the outcome is
 * unknown, a claim or release says so: its client repeats it with the same claim, and that repetition, a transaction that
 * has locked the row, reads back what has come of it. Nothing else would: the server may still be busy with the first
 * request when a new connection stands.
 */
public final class OperationExecutor {

    private static final long STARVED_NANOS = 100_000_000;
    private static final int MOST_BROKEN = 5;
    private static final long SHORTEST_PAUSE = 200_000;
    private static final long LONGEST_PAUSE = 20_000_000;
    private static final long LEAST_PATIENCE_MILLIS = 100;
    private static final long MOST_PATIENCE_MILLIS = 5_000;

    /** What is known once the database has been seen. */
    record Ready(
            SchemaCheck.Found found,
            Object namespace,
            SingleStatementPath quick,
            TransactionalPath transaction,
            @Nullable SessionKeys keys,
            boolean throughPooler,
            boolean limitsWaits) {

        ServerSql texts() {
            return found.texts();
        }

        /**
         * The names of statements that the server keeps are its session's. Behind a pooler another session may not know
         * them, or know another client's statement by that name and carry that out.
         */
        void settle(PooledConnection borrowed) throws SQLException {
            if (!limitsWaits) {
                borrowed.limitStatements(texts().dialect());
            }
            if (throughPooler) {
                borrowed.keepNoStatements(texts().dialect());
            }
        }
    }

    private final ConnectionSource source;
    private final SchemaCheck layout;
    private final String store;
    private final StoreContext context;
    private final Notifier news;
    private final Consumer<String> added;
    private final @Nullable PinnedSession session;
    private final ReentrantLock opening = new ReentrantLock();
    private final Map<Object, Long> asking = new ConcurrentHashMap<>();
    private final CallerRunsPolicy lending;

    private volatile @Nullable Ready ready;

    /**
     * Makes a runner.
     *
     * @param added is told of locks that had no row
     * @param session the session whose locks decide, or null where the rows do
     */
    OperationExecutor(
            ConnectionSource source,
            SchemaCheck layout,
            String store,
            StoreContext context,
            Notifier news,
            Consumer<String> added,
            @Nullable PinnedSession session) {
        this.added = added;
        this.session = session;
        this.source = source;
        this.layout = layout;
        this.store = store;
        this.context = context;
        this.news = news;
        this.lending = new CallerRunsPolicy(context, source);
    }

    /** How long to wait for a connection, or for an answer on it: somewhat less than a client waits for the store. */
    public static Duration patience(Duration storeTimeout) {
        return Duration.ofMillis(
                Math.max(LEAST_PATIENCE_MILLIS, Math.min(MOST_PATIENCE_MILLIS, storeTimeout.toMillis() / 2)));
    }

    private PooledConnection borrow() throws SQLException {
        Object asker = new Object();
        asking.put(asker, System.nanoTime());
        try {
            return lend();
        } catch (SQLException e) {
            NoConnection none = exhausted(e);
            throw none == null ? e : none;
        } finally {
            asking.remove(asker);
        }
    }

    /** Whether it is for the pool, and not for the database, that there was no connection. */
    private @Nullable NoConnection exhausted(SQLException e) {
        String said = NoConnection.reason(e);
        return said == null ? null : new NoConnection(said, e);
    }

    /** Why those get no connection who have been waiting for one for a while, if that can be seen; else null. */
    @Nullable NoConnection exhausted() {
        String why = isStarved() ? source.exhausted() : null;
        return why == null ? null : new NoConnection(why, null);
    }

    /** The calling thread asks for a lock, or gives one back. */
    void calling() {
        source.calling();
    }

    /** A connection to keep for longer. */
    PooledConnection lend() throws SQLException {
        return settled(PooledConnection.from(
                source, (int) patience(context.storeTimeout()).toMillis()));
    }

    private PooledConnection settled(PooledConnection borrowed) throws SQLException {
        Ready known = ready;
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

    /** Whether somebody has been waiting for a connection for so long that there may be none left. */
    boolean isStarved() {
        long now = System.nanoTime();
        return !source.hasOneToSpare() && asking.values().stream().anyMatch(since -> now - since > STARVED_NANOS);
    }

    boolean canNotify() {
        Ready known = ready;
        return known != null && known.texts().dialect().canNotify();
    }

    /** Whether the calling thread may call {@link #performOnce}. */
    boolean mayLend() {
        Ready known = ready;
        return known != null
                && !known.found().otherIsolation()
                && lending.isAllowed(known.texts().dialect());
    }

    /**
     * Tries a job's single statement, once, on a caller's thread; see {@link CallerRunsPolicy}.
     *
     * @return what is left to do, or null
     */
    <T> @Nullable ServerOperation<T> performOnce(ServerOperation<T> job) {
        ServerOperation.First<T> first = job.first();
        Ready at = ready;
        if (first == null || at == null) {
            return job;
        }
        PooledConnection borrowed;
        try {
            borrowed = settled(
                    PooledConnection.ready(source, CallerRunsPolicy.POOL_MILLIS, CallerRunsPolicy.LIMIT_MILLIS));
        } catch (SQLException | RuntimeException | Error e) {
            lending.failed();
            return job;
        }
        try (borrowed) {
            return tryFirst(job, first, borrowed, at) ? null : job.afterFirst();
        } catch (SQLException e) {
            if (!leavesUnknown(e)) {
                borrowed.rollBack();
                job.job().undone();
                return job; // Certainly undone: a worker finds out whether it is worth repeating.
            }
            borrowed.spoil();
            lending.failed();
            if (job.repeatable()) {
                job.job().cutOff();
                return job;
            }
            job.job().fail(outcome -> ServerFailures.broken(e, store, outcome));
            return null;
        } catch (RuntimeException | Error e) {
            borrowed.spoil();
            job.job().fail(outcome -> ServerFailures.unexpected(e, store, outcome));
            return null;
        }
    }

    <T> void perform(ServerOperation<T> job) {
        int broken = 0;
        for (int attempt = 0; !job.job().isOver(); attempt++) {
            PooledConnection borrowed;
            try {
                prepare(job);
                borrowed = borrow();
            } catch (SQLException e) {
                fail(job, outcome -> ServerFailures.unreachable(e, store, outcome));
                return;
            } catch (LockException e) {
                fail(job, outcome -> e);
                return;
            } catch (RuntimeException | Error e) {
                job.job().fail(outcome -> ServerFailures.unexpected(e, store, outcome));
                return;
            }
            try (borrowed) {
                if (attempt(job, borrowed)) {
                    return;
                }
            } catch (SQLException e) {
                if (isRetryable(e)) {
                    borrowed.rollBack();
                    job.job().undone();
                } else if (leavesUnknown(e)) {
                    borrowed.spoil();
                    lending.failed();
                    boolean certain = !job.job().isCommitting();
                    if (!(certain || job.repeatable()) || ++broken >= MOST_BROKEN) {
                        job.job().fail(outcome -> ServerFailures.broken(e, store, outcome));
                        return;
                    }
                    job.job().cutOff();
                } else {
                    borrowed.rollBack();
                    job.job().undone();
                    LockException refused = missingOr(e);
                    fail(job, outcome -> refused);
                    return;
                }
            } catch (LockException e) {
                borrowed.rollBack();
                fail(job, outcome -> e);
                return;
            } catch (RuntimeException | Error e) {
                borrowed.spoil();
                job.job().fail(outcome -> ServerFailures.unexpected(e, store, outcome));
                return;
            }
            pause(attempt);
        }
    }

    /** Before a connection is borrowed, because the session needs one to itself. */
    private void prepare(ServerOperation<?> job) throws SQLException {
        if (session != null && job.lock() != null) {
            Ready known = ready;
            if (known == null) {
                known = with((borrowed, at) -> at);
            }
            session.ready(Objects.requireNonNull(known.keys()).rules());
        }
    }

    /** An earlier attempt may have been carried out, whatever is known of the last. */
    private <T> void fail(ServerOperation<T> job, Function<Outcome, LockException> failure) {
        job.job().fail(outcome -> ServerFailures.inDoubt(failure.apply(outcome), store, outcome));
    }

    /** Whether what was sent last may have been carried out; a driver's own errors have neither state nor number. */
    private static boolean leavesUnknown(SQLException e) {
        return Sql.isBroken(e) || (e.getSQLState() == null && e.getErrorCode() == 0);
    }

    /** What a failed commit has come to is unknown, unless the database says that it has undone it. */
    private void commit(PooledConnection borrowed) throws SQLException {
        try {
            borrowed.connection().commit();
        } catch (SQLException e) {
            throw isRetryable(e) || leavesUnknown(e) ? e : new SQLException(e.getMessage(), "08007", e);
        }
    }

    private LockException missingOr(SQLException e) {
        Ready known = ready;
        if (known != null && known.texts().dialect().isMissingTable(e)) {
            ready = null;
            return layout.missing(known.texts().tables(), e);
        }
        return ServerFailures.refused(e, store);
    }

    private boolean isRetryable(SQLException e) {
        Ready known = ready;
        return e instanceof RowReplaced
                || (known != null && known.texts().dialect().isRetryable(e));
    }

    private <T> boolean attempt(ServerOperation<T> job, PooledConnection borrowed) throws SQLException {
        Ready at = ready(borrowed);
        if (at.found().otherIsolation() && at.texts().dialect().singleStatementsNeedReadCommitted()) {
            borrowed.readCommitted();
        }
        ServerOperation.First<T> first = job.first();
        return (first != null && tryFirst(job, first, borrowed, at)) || inTransaction(job, borrowed, at);
    }

    /** The single statement; false if it was not enough. */
    private <T> boolean tryFirst(
            ServerOperation<T> job, ServerOperation.First<T> first, PooledConnection borrowed, Ready at)
            throws SQLException {
        if (!job.job().commits() && !job.job().isCommitting()) {
            return true;
        }
        ClockReading sentAt = context.time().now();
        long askedAt = context.time().nanos();
        T answer = first.on(at.quick(), borrowed.sql(), sentAt);
        lending.heard(askedAt);
        if (answer == null) {
            job.job().undone();
            return false;
        }
        job.job().note(answer);
        job.job().succeed(answer);
        return true;
    }

    private <T> boolean inTransaction(ServerOperation<T> job, PooledConnection borrowed, Ready at) throws SQLException {
        if (at.found().otherIsolation()) {
            borrowed.readCommitted();
        }
        borrowed.autoCommit(false);
        long askedAt = context.time().nanos();
        TransactionalPath.Done<T> done = at.transaction().run(job, borrowed.sql());
        if (done == null) {
            // By itself: the next transaction may not see what this one has not, and this one, which has found no row,
            // has no
            // limit in the server to how long it may keep the new one from others.
            borrowed.connection().rollback();
            borrowed.autoCommit(true);
            String lock = Objects.requireNonNull(job.lock());
            at.transaction().makeRow(lock, borrowed.sql());
            added.accept(lock);
            return false;
        }
        news.write(done.turn().news(), borrowed.sql(), at);
        if (!job.job().commits() && !job.job().isCommitting()) {
            borrowed.rollBack();
            return true;
        }
        commit(borrowed);
        lending.heard(askedAt);
        news.tell(done.turn().news(), at);
        job.job().note(done.answer());
        job.job().succeed(done.answer());
        return true;
    }

    /** Works with a borrowed connection, in auto-commit mode, for something that is not a job. */
    <T> T with(Work<T> work) throws SQLException {
        try (PooledConnection borrowed = borrow()) {
            try {
                return work.on(borrowed, ready(borrowed));
            } catch (SQLException e) {
                if (Sql.isBroken(e)) {
                    borrowed.spoil();
                } else {
                    borrowed.rollBack();
                }
                throw e;
            }
        }
    }

    /** What to do with a connection. */
    @FunctionalInterface
    interface Work<T> {
        T on(PooledConnection borrowed, Ready at) throws SQLException;
    }

    private Ready ready(PooledConnection borrowed) throws SQLException {
        Ready known = ready;
        if (known != null) {
            return known;
        }
        opening.lock();
        try {
            known = ready;
            if (known == null) {
                SchemaCheck.Found found = layout.find(borrowed);
                Object namespace = found.texts().dialect().name(context.namespace());
                SessionKeys keys = session == null ? null : keys(found.texts().tables(), borrowed.sql());
                boolean throughPooler = found.texts().dialect().isThroughPooler(borrowed.connection(), borrowed.sql());
                known = new Ready(
                        found,
                        namespace,
                        new SingleStatementPath(found.texts(), namespace, context.owner(), added),
                        new TransactionalPath(found.texts(), namespace, context, session, keys),
                        keys,
                        throughPooler,
                        source.limitsWaits());
                known.settle(borrowed);
                ready = known;
                news.opened(known);
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

    private static void pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(attempt + 1, 10));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, most));
    }
}

package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.connection.PassingErrors;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation executor carries operations out, each on a connection that it borrows for that. Thread-safe; blocks.
 *
 * <p>Until a single statement is sent in auto-commit mode, or a commit is, nothing has happened. An operation that the
 * database has certainly undone (a deadlock, a serialisation failure) is repeated here. If a connection breaks when the
 * outcome is unknown, a claim or release says so: its client repeats it with the same claim, and that repetition, a
 * transaction that has locked the row, reads back what has come of it. Nothing else would show it: the server may still
 * be busy with the first request when a new connection stands.
 */
final class OperationExecutor {

    private static final int MOST_BROKEN = 5;
    private static final int MOST_REPLACED = 3;
    private static final long SHORTEST_PAUSE = 200_000;
    private static final long LONGEST_PAUSE = 20_000_000;

    private final DatabaseAccess database;
    private final String store;
    private final StoreContext context;
    private final Notifier notifier;
    private final Consumer<String> added;
    private final @Nullable PinnedSession session;
    private final CallerRunsPolicy callerRuns;

    /**
     * Makes an executor.
     *
     * @param added hears of locks that had no row
     * @param session the session whose locks decide, or null where the rows do
     */
    OperationExecutor(
            DatabaseAccess database,
            String store,
            StoreContext context,
            Notifier notifier,
            Consumer<String> added,
            @Nullable PinnedSession session,
            CallerRunsPolicy callerRuns) {
        this.database = database;
        this.store = store;
        this.context = context;
        this.notifier = notifier;
        this.added = added;
        this.session = session;
        this.callerRuns = callerRuns;
    }

    /** Returns whether the calling thread may call {@link #performOnce}. */
    boolean mayRunOnCaller() {
        ReadyDatabase known = database.known();
        return known != null
                && !known.found().otherIsolation()
                && callerRuns.isAllowed(known.texts().dialect());
    }

    /**
     * Tries a request's single statement, once, on a caller's thread; see {@link CallerRunsPolicy}.
     *
     * @return what is left to do, or null
     */
    <T> @Nullable ServerOperation<T> performOnce(ServerOperation<T> request) {
        ServerOperation.First<T> first = request.first();
        ReadyDatabase at = database.known();
        if (first == null || at == null) {
            return request;
        }
        PooledConnection borrowed;
        try {
            borrowed = database.lendAtOnce();
        } catch (SQLException | RuntimeException | Error e) {
            callerRuns.failed();
            return request;
        }
        try {
            return tryFirst(request, first, borrowed, at) ? null : request.afterFirst();
        } catch (SQLException e) {
            if (!leavesUnknown(e) && !PassingErrors.mayBeDone(e)) {
                borrowed.undo(e);
                request.operation().undone();
                return request; // Certainly undone: a worker finds out whether it is worth repeating.
            }
            borrowed.spoil();
            callerRuns.failed();
            if (request.repeatable()) {
                request.operation().cutOff();
                return request;
            }
            request.operation().fail(outcome -> ServerFailures.broken(e, store, outcome));
            return null;
        } catch (RuntimeException | Error e) {
            borrowed.spoil();
            request.operation().fail(outcome -> ServerFailures.unexpected(e, store, request.lock(), outcome));
            return null;
        } finally {
            borrowed.close(); // What is caught decides how.
        }
    }

    <T> void perform(ServerOperation<T> request) {
        int broken = 0;
        int replaced = 0;
        for (int attempt = 0; !request.operation().isOver(); attempt++) {
            PooledConnection borrowed;
            try {
                prepare(request);
                borrowed = database.borrow();
            } catch (SQLException e) {
                fail(request, outcome -> ServerFailures.unreachable(e, store, outcome));
                return;
            } catch (LockException e) {
                fail(request, outcome -> e);
                return;
            } catch (RuntimeException | Error e) {
                request.operation().fail(outcome -> ServerFailures.unexpected(e, store, request.lock(), outcome));
                return;
            }
            try {
                if (attempt(replaced < MOST_REPLACED ? request : request.withoutWaiting(), borrowed)) {
                    return;
                }
            } catch (SQLException e) {
                replaced += e instanceof RowReplaced ? 1 : 0; // Perhaps its looks are another server's, and stale.
                if (isRetryable(e)) {
                    borrowed.rollBack();
                    request.operation().undone();
                } else if (leavesUnknown(e)) {
                    borrowed.spoil();
                    callerRuns.failed();
                    boolean certain = !request.operation().isCommitting();
                    if (!(certain || request.repeatable()) || ++broken >= MOST_BROKEN) {
                        request.operation().fail(outcome -> ServerFailures.broken(e, store, outcome));
                        return;
                    }
                    request.operation().cutOff();
                } else if (PassingErrors.passes(e)) {
                    borrowed.undo(e);
                    if (PassingErrors.mayBeDone(e)) {
                        request.operation().cutOff();
                    } else {
                        request.operation().undone();
                    }
                    if (!PassingErrors.isReadOnly(e) || ++broken > 1) { // The pool may have more such connections.
                        fail(request, outcome -> ServerFailures.notNow(e, store, outcome));
                        return;
                    }
                } else {
                    borrowed.rollBack();
                    request.operation().undone();
                    LockException refused = missingOr(e, request.lock());
                    fail(request, outcome -> refused);
                    return;
                }
            } catch (LockException e) {
                borrowed.rollBack();
                fail(request, outcome -> e);
                return;
            } catch (RuntimeException | Error e) {
                borrowed.spoil();
                request.operation().fail(outcome -> ServerFailures.unexpected(e, store, request.lock(), outcome));
                return;
            } finally {
                borrowed.close(); // What is caught decides how.
            }
            pause(attempt);
        }
    }

    /** Prepares the session before a connection is borrowed, because the session needs one to itself. */
    private void prepare(ServerOperation<?> request) throws SQLException {
        if (session != null && request.lock() != null) {
            ReadyDatabase known = database.known();
            if (known == null) {
                known = database.with((borrowed, at) -> at);
            }
            session.ready(Objects.requireNonNull(known.keys()).rules());
        }
    }

    /** An earlier attempt may have been carried out, whatever is known of the last. */
    private <T> void fail(ServerOperation<T> request, Function<Outcome, LockException> failure) {
        request.operation().fail(outcome -> ServerFailures.inDoubt(failure.apply(outcome), store, outcome));
    }

    /** Returns whether what was sent last may have been carried out; a driver's own errors have neither state nor number. */
    private static boolean leavesUnknown(SQLException e) {
        return Sql.isBroken(e) || (e.getSQLState() == null && e.getErrorCode() == 0);
    }

    /** The outcome of a failed commit is unknown, unless the database says that it has undone it. */
    private void commit(PooledConnection borrowed) throws SQLException {
        try {
            borrowed.commit();
        } catch (SQLException e) {
            if (isRetryable(e) || leavesUnknown(e) || PassingErrors.isReadOnly(e)) {
                throw e;
            }
            throw new SQLException(e.getMessage(), "08007", e);
        }
    }

    private LockException missingOr(SQLException e, @Nullable String lock) {
        LockException missing = database.missing(e);
        return missing != null ? missing : ServerFailures.refused(e, store, lock);
    }

    private boolean isRetryable(SQLException e) {
        ReadyDatabase known = database.known();
        return e instanceof RowReplaced
                || notifier.isFull(e)
                || (known != null && known.texts().dialect().isRetryable(e));
    }

    private <T> boolean attempt(ServerOperation<T> asked, PooledConnection borrowed) throws SQLException {
        // Without a transaction it might read another server.
        ServerOperation<T> request = database.isReadElsewhere() ? asked.withoutWaiting() : asked;
        ReadyDatabase at = database.ready(borrowed);
        boolean atOnce = at.texts().dialect().singleStatementsNeedReadCommitted();
        if (at.found().otherIsolation() && atOnce) {
            borrowed.readCommitted();
        }
        ServerOperation.First<T> first = request.first();
        ServerOperation.Waiting<T> waiting = request.waiting();
        if (first != null && tryFirst(request, first, borrowed, at)) {
            return true;
        }
        // Also for those who wait: at REPEATABLE READ an INSERT … SELECT locks the gaps that it has looked into.
        if (at.found().otherIsolation() && !atOnce) {
            borrowed.readCommitted();
        }
        return (waiting != null && tryWaiting(request, waiting, borrowed, at)) || inTransaction(request, borrowed, at);
    }

    /** Takes the path of those who can only wait; returns false if that was not enough. */
    private <T> boolean tryWaiting(
            ServerOperation<T> request, ServerOperation.Waiting<T> waiting, PooledConnection borrowed, ReadyDatabase at)
            throws SQLException {
        if (!request.operation().commits() && !request.operation().isCommitting()) {
            return true;
        }
        long askedAt = context.time().nanos();
        WaitingPath path = new WaitingPath(borrowed.sql(), at.texts(), at.namespace(), at.context());
        T answer;
        try {
            answer = waiting.on(path);
        } finally {
            if (path.hasJoined()) {
                request.operation().cutOff();
            }
            if (path.isReadElsewhere()) {
                database.readElsewhere();
            }
        }
        callerRuns.heard(askedAt);
        if (answer == null) {
            request.operation().undone();
            return false;
        }
        request.operation().note(answer);
        request.operation().succeed(answer);
        return true;
    }

    /** Tries the single statement; returns false if it was not enough. */
    private <T> boolean tryFirst(
            ServerOperation<T> request, ServerOperation.First<T> first, PooledConnection borrowed, ReadyDatabase at)
            throws SQLException {
        if (!request.operation().commits() && !request.operation().isCommitting()) {
            return true;
        }
        ClockReading sentAt = context.time().now();
        long askedAt = context.time().nanos();
        T answer = first.on(at.singleStatement(), borrowed.sql(), sentAt);
        callerRuns.heard(askedAt);
        if (answer == null) {
            request.operation().undone();
            return false;
        }
        request.operation().note(answer);
        request.operation().succeed(answer);
        return true;
    }

    private <T> boolean inTransaction(ServerOperation<T> request, PooledConnection borrowed, ReadyDatabase at)
            throws SQLException {
        borrowed.autoCommit(false);
        long askedAt = context.time().nanos();
        TransactionalPath.Done<T> done = at.transaction().run(request, borrowed.sql());
        if (done == null) {
            // By itself: the next transaction may not see what this one has not, and this one, which has found no row,
            // has no
            // limit in the server to how long it may keep the new one from others.
            borrowed.connection().rollback();
            borrowed.autoCommit(true);
            String lock = Objects.requireNonNull(request.lock());
            at.transaction().makeRow(lock, borrowed.sql());
            added.accept(lock);
            return false;
        }
        notifier.write(done.transaction().notifications(), borrowed.sql(), at);
        if (!request.operation().commits() && !request.operation().isCommitting()) {
            borrowed.rollBack();
            return true;
        }
        commit(borrowed);
        callerRuns.heard(askedAt);
        notifier.tell(done.transaction().notifications(), at);
        request.operation().note(done.answer());
        request.operation().succeed(done.answer());
        return true;
    }

    private static void pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(attempt + 1, 10));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, most));
    }
}

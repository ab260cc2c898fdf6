package dev.leasehold.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pooled connection is one for one piece of work, brought into the state that it needs and given back as it was. The
 * pool decides in what state it hands connections out; a connection never carries a transaction of the user's,
 * because those belong to connections that the user has.
 */
public final class PooledConnection implements AutoCloseable {

    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    private final Connection connection;
    private final Sql sql;
    private final Deque<Step> restore = new ArrayDeque<>();
    private final boolean forCaller;
    private ConnectionRules rules = new ConnectionRules() {};
    private int answerTimeoutMillis;
    private boolean spoiled;

    private PooledConnection(Connection connection, boolean forCaller) {
        this.forCaller = forCaller;
        this.connection = connection;
        this.sql = new Sql(connection);
    }

    /**
     * Borrows a connection, in auto-commit mode.
     *
     * @param answerTimeoutMillis how long an answer is waited for on it
     */
    public static PooledConnection from(ConnectionSource source, int answerTimeoutMillis) throws SQLException {
        return readied(source.get(), answerTimeoutMillis, false);
    }

    /**
     * Borrows a connection for a thread of a caller's, in auto-commit mode.
     *
     * @param poolTimeoutMillis how long a connection is waited for
     * @param answerTimeoutMillis how long an answer is waited for on it
     */
    public static PooledConnection ready(ConnectionSource source, int poolTimeoutMillis, int answerTimeoutMillis)
            throws SQLException {
        return readied(source.getReady(poolTimeoutMillis), answerTimeoutMillis, true);
    }

    private static PooledConnection readied(Connection connection, int answerTimeoutMillis, boolean forCaller)
            throws SQLException {
        PooledConnection borrowed = new PooledConnection(connection, forCaller);
        try {
            borrowed.limit(answerTimeoutMillis);
            borrowed.autoCommit(true);
            if (connection.isReadOnly()) {
                connection.setReadOnly(false);
                borrowed.restore.push(() -> connection.setReadOnly(true));
            }
            return borrowed;
        } catch (SQLException | RuntimeException e) {
            borrowed.spoil();
            borrowed.close();
            throw e;
        }
    }

    public Connection connection() {
        return connection;
    }

    public Sql sql() {
        return sql;
    }

    /** Limits how long an answer is waited for, where the driver can; else the operating system does. */
    private void limit(int answerTimeoutMillis) throws SQLException {
        this.answerTimeoutMillis = answerTimeoutMillis;
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, answerTimeoutMillis);
            restore.push(() -> connection.setNetworkTimeout(Runnable::run, before));
        } catch (SQLException e) {
            if (Sql.isBroken(e)) {
                throw e;
            }
        }
    }

    /** Changes how long an answer is waited for; what it was before is restored in the end. */
    public void waitForAnswers(int millis) throws SQLException {
        limit(millis);
    }

    public void autoCommit(boolean wanted) throws SQLException {
        boolean before = connection.getAutoCommit();
        if (before != wanted) {
            connection.setAutoCommit(wanted);
            restore.push(() -> connection.setAutoCommit(before));
        }
    }

    public void readCommitted() throws SQLException {
        int before = connection.getTransactionIsolation();
        if (before != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            restore.push(() -> connection.setTransactionIsolation(before));
        }
    }

    /** Has what the server says beside a success heeded, from now on. */
    public void heed(ConnectionRules dialect) {
        rules = dialect;
        sql.heed(dialect);
    }

    public void commit() throws SQLException {
        rules.commit(connection);
    }

    /** Turns off server-side statements, because the next user may meet another session. */
    public void keepNoStatements(ConnectionRules dialect) throws SQLException {
        int before = dialect.prepareThreshold(connection, 0);
        if (before != 0) {
            restore.push(() -> dialect.prepareThreshold(connection, before));
        }
    }

    /**
     * Has the server end a statement before nobody waits for its answer any more. Not for a caller's thread: where the server
     * hangs, a driver may wait for it to answer to that, too, for longer than such a thread has.
     */
    public void limitStatements(ConnectionRules dialect) {
        if (!forCaller) {
            sql.limit(dialect, Math.max(1, answerTimeoutMillis / 10 * 8));
        }
    }

    /** Ends a transaction that shall not count. */
    public void rollBack() {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            spoil();
        }
    }

    /** Ends a transaction that has failed, and the connection with it if it is of no use any more. */
    public void undo(SQLException e) {
        if (Sql.isBroken(e) || PassingErrors.isReadOnly(e)) {
            spoil();
        } else {
            rollBack();
        }
    }

    /** The connection may be in any state: it is closed for good, as far as its pool lets us. */
    public void spoil() {
        spoiled = true;
    }

    @Override
    public void close() {
        try (Connection closing = connection) {
            if (spoiled) {
                closing.abort(Runnable::run);
                return;
            }
            sql.close();
            if (!closing.getAutoCommit()) {
                closing.rollback(); // After giving up half-way this comes first, because auto-commit mode would commit
                // that.
            }
            while (!restore.isEmpty()) {
                restore.pop().run();
            }
        } catch (SQLException e) {
            System.getLogger("dev.leasehold.jdbc").log(System.Logger.Level.DEBUG, "giving back a connection", e);
        }
    }
}

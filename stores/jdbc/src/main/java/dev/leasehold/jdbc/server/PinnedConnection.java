package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.SessionRules;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A pinned connection is that of a {@link PinnedSession}: one session of the database for as long as it is open, with a
 * limit to how long it may be idle. Belongs to the session's thread.
 *
 * <p>No statement on it ever waits for a lock or a row. After any failure it is in doubt what the session has, so the
 * session is ended.
 */
final class PinnedConnection {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final long FIRST_LIMIT_MILLIS = 30_000;
    private static final int ANSWER_TIMEOUT_MILLIS = 30_000;

    /** A source lends the connection to be pinned. */
    @FunctionalInterface
    interface Source {
        PooledConnection connect() throws SQLException;
    }

    private record Open(PooledConnection borrowed, SessionRules rules, long session, long idleBefore) {
        Sql sql() {
            return borrowed.sql();
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T on(Open at) throws SQLException;
    }

    private final Source source;
    private final TimeSource time;
    private final Runnable lost;
    private @Nullable Open current;
    private volatile @Nullable Connection lent;
    private long limit;
    private long lastSent;

    /**
     * Makes it, without connecting.
     *
     * @param lost is called when the session is gone
     */
    PinnedConnection(Source source, TimeSource time, Runnable lost) {
        this.source = source;
        this.time = time;
        this.lost = lost;
    }

    /** Says, to any thread, whether the connection is open. */
    boolean isOpen() {
        return lent != null;
    }

    /** Returns the time for which the session may be idle, in milliseconds. */
    long limit() {
        return limit;
    }

    /** Returns when something was sent last. */
    long lastSent() {
        return lastSent;
    }

    void open(SessionRules rules) throws SQLException {
        PooledConnection mine = source.connect();
        try {
            Sql sql = mine.sql();
            long session = rules.session(sql);
            refuseIfLentPerTransaction(sql, session, rules);
            Long before = rules.idleMillis(sql);
            if (before == null) {
                throw new LockException("the database has no idle limit for sessions, which session locks are bound to"
                        + " (PostgreSQL has it from version 14 on); nothing was locked. Use another version, or leave"
                        + " leasehold.sessionLocks out");
            }
            mine.waitForAnswers(ANSWER_TIMEOUT_MILLIS); // A slow answer is better than a session that is given up.
            rules.limitIdle(sql, FIRST_LIMIT_MILLIS);
            Long found = rules.idleMillis(sql);
            if (found == null || found != FIRST_LIMIT_MILLIS) {
                throw pooled();
            }
            lastSent = time.nanos();
            limit = FIRST_LIMIT_MILLIS;
            current = new Open(mine, rules, session, before);
            lent = mine.connection();
        } catch (SQLException | RuntimeException e) {
            mine.spoil();
            mine.close();
            throw e;
        }
    }

    /**
     * A pooler that lends sessions per transaction has lent out nothing by now: a transaction on another connection gets
     * the session that we had, or else we get another one while that transaction lasts.
     */
    private void refuseIfLentPerTransaction(Sql sql, long session, SessionRules rules) throws SQLException {
        try (PooledConnection other = source.connect()) {
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

    /** Takes a key that this session does not have, if nobody has it. */
    boolean take(Object key) throws SQLException {
        SessionRules.Answer answer = send(at -> at.rules().take(at.sql(), key));
        expectSame(answer.session());
        return answer.yes();
    }

    void give(Object key) throws SQLException {
        expectSame(send(at -> at.rules().give(at.sql(), key)).session());
    }

    /** Returns only if the session lives, and its idle time has begun anew. */
    void ping() throws SQLException {
        expectSame(send(at -> at.rules().session(at.sql())));
    }

    void limitTo(long millis) throws SQLException {
        send(at -> {
            at.rules().limitIdle(at.sql(), millis);
            return true;
        });
        limit = millis;
        ping();
    }

    private <T> T send(Work<T> work) throws SQLException {
        Open at = current;
        if (at == null) {
            throw new SessionBroken(null);
        }
        lastSent = time.nanos();
        try {
            return work.on(at);
        } catch (SQLException e) {
            end();
            throw Sql.isBroken(e) ? new SessionBroken(e) : e;
        }
    }

    private void expectSame(long session) {
        Open at = current;
        if (at == null || at.session() != session) {
            end();
            throw pooled();
        }
    }

    /** Ends the session. */
    void end() {
        Open at = current;
        if (at != null) {
            current = null;
            lent = null;
            at.borrowed().spoil();
            at.borrowed().close();
            lost.run();
        }
    }

    /** Frees what the session has, and gives the connection back as it was. */
    void giveBack() {
        Open at = current;
        if (at == null) {
            return;
        }
        current = null;
        lent = null;
        try (PooledConnection borrowed = at.borrowed()) {
            try {
                at.rules().giveAll(at.sql());
                at.rules().limitIdle(at.sql(), at.idleBefore());
            } catch (SQLException e) {
                borrowed.spoil();
                LOG.log(Level.DEBUG, "giving back the pinned connection", e);
            }
        }
    }

    /** Closes the connection, so that a thread waiting on it fails. Any thread may call this. */
    void abort() {
        Connection stuck = lent;
        try {
            if (stuck != null) {
                stuck.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "aborting the pinned connection", e);
        }
    }
}

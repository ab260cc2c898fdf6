package dev.leasehold.jdbc.dialect;

import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Session rules are those of one database for its sessions and the exclusive locks that belong to them. Immutable.
 *
 * <p>Keys are what the database's function takes. No statement here ever waits for a lock.
 */
public interface SessionRules {

    /**
     * An answer is one to a statement about a lock.
     *
     * @param session the session that has carried it out
     */
    record Answer(boolean yes, long session) {}

    /** Refuses a database where a session's lock would not exclude all other sessions. */
    default void check(Sql sql) throws SQLException {}

    /** Makes a key of the 32 bytes that stand for a lock's name. */
    Object key(byte[] digest);

    /** Returns the schema of the tables, the same for all their users, whatever a connection is set to. */
    String place(Sql sql, Tables tables) throws SQLException;

    /** Names the session of a connection. */
    long session(Sql sql) throws SQLException;

    /** Returns how long the session may be idle before the server ends it; null where the server knows no such limit. */
    @Nullable Long idleMillis(Sql sql) throws SQLException;

    void limitIdle(Sql sql, long millis) throws SQLException;

    /** Takes a key for the session if nobody has it. Keys are counted: one taken twice must be released twice. */
    Answer take(Sql sql, Object key) throws SQLException;

    Answer give(Sql sql, Object key) throws SQLException;

    void giveAll(Sql sql) throws SQLException;

    /** Returns which of some keys are taken, by whomever. */
    Set<Object> taken(Sql sql, Collection<Object> keys) throws SQLException;

    /** Has the server end the session that has a key, soon. Another one than that of this connection. */
    void end(Sql sql, Object key) throws SQLException;
}

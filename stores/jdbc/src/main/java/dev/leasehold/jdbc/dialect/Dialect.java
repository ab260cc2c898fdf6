package dev.leasehold.jdbc.dialect;

import dev.leasehold.jdbc.connection.ConnectionRules;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A dialect is that of one database: it says in its words what all of them can. Immutable.
 *
 * <p>In the statements, {@code $lock}, {@code $holder}, {@code $waiter} and {@code $layout} stand for the tables.
 */
public interface Dialect extends ConnectionRules {

    /** Returns the file with the tables, in which their default names are quoted. */
    String schema();

    String quote(String identifier);

    /** Returns the schema in which this connection finds the tables, or would make them; null if it has none. */
    @Nullable String schemaOf(Sql sql, Tables tables) throws SQLException;

    /** Returns the text for the microseconds since 1970 when the database began the statement, in no time zone. */
    String now();

    /** Returns how a lock's name is passed. */
    Object name(String name);

    String name(ResultSet row, int column) throws SQLException;

    /** Marks, in an update or insert, the number that is returned. */
    default String marked(String expression) {
        return expression;
    }

    /** Updates at most one row and returns what it returns, where it is also {@link #marked}; null where no row was changed. */
    @Nullable Long update(Sql sql, String statement, String returning, @Nullable Object... values) throws SQLException;

    /** Returns the start of an insert that does nothing where the row is there already. */
    String insertInto();

    /** Returns the end of such an insert. */
    String unlessThere();

    /**
     * Locks a lock's row until the end of the transaction, and returns it as it is from then on: {@code columns}, then the
     * time. Two parameters: namespace and name.
     */
    String lockRow(String columns);

    /**
     * Returns a condition in SQL: whether others' changes are read that a replica should have before they count, and
     * may not have. A change of one's own comes after them, and waits for them.
     */
    default String readsWhatMayBeLost() {
        return "FALSE";
    }

    /**
     * Returns a column of a transaction's first statement, which has the server end the transaction if it hears nothing
     * of it for five seconds: a process that is stopped in the middle of it would keep others waiting for as long as it
     * is stopped.
     */
    default String idleLimit() {
        return "0";
    }

    /** Returns what must be so before a transaction changes the tables' layout; null for nothing. */
    default @Nullable String beforeCreating() {
        return null;
    }

    /**
     * Returns whether single statements, too, should run at READ COMMITTED: at other levels they fail where they could wait.
     */
    boolean singleStatementsNeedReadCommitted();

    /**
     * Returns whether READ COMMITTED has to be made sure of each time, because the protocol is not right at other levels.
     */
    default boolean needsReadCommitted() {
        return false;
    }

    /** Returns what asks for the version, by which a {@link LookAlike} is known; null where there is none. */
    default @Nullable String versionQuestion() {
        return null;
    }

    /** Refuses databases whose settings lose locks, or warns of them where only a crash of the database does. */
    default void check(Connection connection, Sql sql) throws SQLException {}

    /** Returns whether a row was there already. */
    default boolean isDuplicate(SQLException e) {
        return false;
    }

    /** Returns whether the statement or transaction was certainly undone, for a reason that passes. */
    boolean isRetryable(SQLException e);

    /** Asks the catalogue, where a question to a missing table would be logged as an error. */
    default boolean mayHave(Sql sql, String table) throws SQLException {
        return true;
    }

    /**
     * Returns whether a thread of a user's, which may be interrupted any time, can use a connection without harm to anything
     * else.
     */
    default boolean mayServeCallersThreads() {
        return false;
    }

    /**
     * Returns whether something in between lends the server's sessions out, so that what a connection has told one of them
     * is not known to the next.
     */
    default boolean isThroughPooler(Connection connection, Sql sql) throws SQLException {
        return false;
    }

    /** Returns whether a table is missing. */
    boolean isMissingTable(SQLException e);

    /** Returns whether the user has no right to what it asked for. */
    boolean isDenied(SQLException e);

    /** Makes a text that only describes somebody fit what the database can store. */
    default String fitting(String text, Sql sql) throws SQLException {
        return text;
    }

    /** Returns whether a user needs a right to a schema to find the tables in it. */
    default boolean grantsSchemas() {
        return false;
    }

    /** Returns the user of a connection, quoted for a {@code GRANT}. */
    default String user(Sql sql) throws SQLException {
        return quote(Objects.requireNonNull(sql.first("SELECT CURRENT_USER", row -> row.getString(1))));
    }

    /** Returns whether the database tells waiters itself. */
    default boolean canNotify() {
        return false;
    }

    /** Returns what the database knows of locks that belong to a session, or null. */
    default @Nullable SessionRules sessions() {
        return null;
    }

    /**
     * Returns whether the database says that it has undone what it was at; of one such state it says that it does not know.
     */
    static boolean isRolledBack(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("40") && !state.equals(Sql.COMPLETION_UNKNOWN);
    }
}

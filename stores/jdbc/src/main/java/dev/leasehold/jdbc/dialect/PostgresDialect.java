package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PgStatement;
import org.postgresql.util.PSQLWarning;

/**
 * The PostgreSQL dialect computes times in double precision, which has more than enough digits for microseconds and is
 * several times faster than {@code extract}, whose result is numeric.
 */
public final class PostgresDialect implements Dialect {

    private static final String MICROS = "(date_part('epoch', %s) * 1000000)::bigint";
    private static final String NOW = String.format(MICROS, "statement_timestamp()");

    @Override
    public String schema() {
        return "postgresql.sql";
    }

    @Override
    public String quote(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    @Override
    public @Nullable String schemaOf(Sql sql, Tables tables) throws SQLException {
        return sql.first(
                "SELECT COALESCE((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE c.oid = to_regclass(?)), current_schema())",
                row -> row.getString(1),
                tables.in("$layout"));
    }

    @Override
    public String now() {
        return NOW;
    }

    @Override
    public Object name(String name) {
        return name;
    }

    @Override
    public String name(ResultSet row, int column) throws SQLException {
        return row.getString(column);
    }

    @Override
    public @Nullable Long update(Sql sql, String statement, String returning, @Nullable Object... values)
            throws SQLException {
        return sql.first(statement + " RETURNING " + returning, row -> row.getLong(1), values);
    }

    @Override
    public String insertInto() {
        return "INSERT INTO ";
    }

    @Override
    public String unlessThere() {
        return " ON CONFLICT DO NOTHING";
    }

    /**
     * The text is an update, so that at every isolation level a transaction that was begun earlier and waits for this
     * row fails instead of going on with what it saw before. The clock is read when the row is ours. If this process
     * stops in mid-transaction, the server ends the transaction after five seconds, so that others do not wait for it.
     */
    @Override
    public String lockRow(String columns) {
        return "UPDATE $lock SET turns = turns + 1 WHERE namespace = ? AND name = ? RETURNING " + columns + ", "
                + String.format(MICROS, "clock_timestamp()") + ", " + idleLimit();
    }

    @Override
    public String idleLimit() {
        return "set_config('idle_in_transaction_session_timeout', '5000', true)";
    }

    /** Two clients that create the tables at the same moment would collide in the catalogue. */
    @Override
    public String beforeCreating() {
        return "SELECT pg_advisory_xact_lock(5505033712640283468), " + idleLimit();
    }

    @Override
    public boolean singleStatementsNeedReadCommitted() {
        return true;
    }

    @Override
    public String versionQuestion() {
        return "SELECT version()";
    }

    @Override
    public void check(Connection connection, Sql sql) throws SQLException {
        if (sql.number("SELECT CASE WHEN current_setting('client_min_messages') = 'error' AND " + readsWhatMayBeLost()
                        + " THEN 1 ELSE 0 END")
                == 1) {
            throw new LockException(
                    "client_min_messages is error for these connections, and commits wait for replicas; nothing was locked."
                            + " It hides the warning that a replica does not have a lock. Set it to warning or lower for them");
        }
        String commits = sql.first("SELECT current_setting('synchronous_commit')", row -> row.getString(1));
        if ("off".equals(commits)) {
            System.getLogger("dev.leasehold.jdbc")
                    .log(
                            System.Logger.Level.WARNING,
                            "synchronous_commit is off for the given connections: if the database crashes, it forgets the"
                                    + " locks of the last moment, and they may be held twice. Set it to on for them");
        }
    }

    @Override
    public String readsWhatMayBeLost() {
        return "current_setting('synchronous_standby_names') <> ''";
    }

    /**
     * A wait for a synchronous replica that is cancelled ends with success: it is committed here, and a replica that is
     * promoted may not have it.
     */
    @Override
    public void heed(Statement answered) throws SQLException {
        refuse(answered.getWarnings());
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        connection.clearWarnings();
        connection.commit();
        refuse(connection.getWarnings());
    }

    private static void refuse(@Nullable SQLWarning first) throws SQLException {
        for (SQLWarning each = first; each != null; each = each.getNextWarning()) {
            if (isOfReplica(each)) {
                throw new SQLException(
                        "the wait for a synchronous replica was ended (" + each.getMessage() + ")",
                        Sql.COMPLETION_UNKNOWN,
                        each);
            }
        }
    }

    /** The name of the server's routine is in no language. Another driver does not tell it: then each warning counts. */
    private static boolean isOfReplica(SQLWarning warning) {
        if (!"01000".equals(warning.getSQLState())) {
            return false;
        }
        try {
            return !(warning instanceof PSQLWarning known)
                    || "SyncRepWaitForLSN".equals(known.getServerErrorMessage().getRoutine());
        } catch (NoClassDefFoundError e) {
            return true;
        }
    }

    @Override
    public boolean isRetryable(SQLException e) {
        return Dialect.isRolledBack(e) || List.of("55P03", "57014").contains(String.valueOf(e.getSQLState()));
    }

    /**
     * The driver tells the server, on a connection that it makes for that. By the standard's method only whole seconds
     * can be said.
     */
    @Override
    public void limit(PreparedStatement statement, int millis) throws SQLException {
        if (isUsualDrivers(statement)) {
            statement.unwrap(PgStatement.class).setQueryTimeoutMs(millis);
        } else {
            statement.setQueryTimeout(Math.max(1, millis / 1000));
        }
    }

    private static boolean isUsualDrivers(PreparedStatement statement) throws SQLException {
        try {
            return statement.isWrapperFor(PgStatement.class);
        } catch (NoClassDefFoundError e) {
            return false;
        }
    }

    @Override
    public boolean mayHave(Sql sql, String table) throws SQLException {
        return sql.number("SELECT CASE WHEN to_regclass(?) IS NULL THEN 0 ELSE 1 END", table) == 1;
    }

    /** A pooler makes up the number of the process that it names to who connects. */
    @Override
    public boolean isThroughPooler(Connection connection, Sql sql) throws SQLException {
        return hasUsualDriver(connection)
                && connection.unwrap(PGConnection.class).getBackendPID() != sql.number("SELECT pg_backend_pid()");
    }

    @Override
    public int prepareThreshold(Connection connection, int executions) throws SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        int before = driver.getPrepareThreshold();
        driver.setPrepareThreshold(executions);
        return before;
    }

    private static boolean hasUsualDriver(Connection connection) throws SQLException {
        try {
            return connection.isWrapperFor(PGConnection.class);
        } catch (NoClassDefFoundError e) {
            return false;
        }
    }

    /** The driver waits for a plain socket. */
    @Override
    public boolean mayServeCallersThreads() {
        return true;
    }

    @Override
    public boolean isDenied(SQLException e) {
        return "42501".equals(e.getSQLState());
    }

    @Override
    public boolean isMissingTable(SQLException e) {
        return "42P01".equals(e.getSQLState()) || "3F000".equals(e.getSQLState());
    }

    @Override
    public String fitting(String text, Sql sql) throws SQLException {
        String encoding = sql.first("SELECT current_setting('server_encoding')", row -> row.getString(1));
        return "UTF8".equals(encoding) ? text : text.replaceAll("[^\\x00-\\x7f]", "?");
    }

    @Override
    public boolean grantsSchemas() {
        return true;
    }

    @Override
    public boolean canNotify() {
        return true;
    }

    @Override
    public SessionRules sessions() {
        return new PostgresSessions();
    }
}

package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The H2 dialect requires of a database in a file that it writes at once.
 *
 * <p>By default H2 writes what is committed half a second later. When the JVM that hosts the database is killed, what it
 * had answered meanwhile is gone, and two clients in other JVMs may hold one lock. So {@code WRITE_DELAY=0} is required of
 * databases in files, and read back: a setting in the URL of a database that is open already has no effect. A database in
 * memory ends with its JVM, and all clients with it if they are in that same JVM; if it also outlives the last connection,
 * nothing can be lost that anybody still knows.
 */
public final class H2Dialect implements Dialect {

    private static final int DUPLICATE_KEY = 23505;
    private static final int DEADLOCK = 40001;
    private static final int LOCK_TIMEOUT = 50200;
    private static final int CONCURRENT_UPDATE = 90131;

    private static final String NOW =
            "DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00:00', CURRENT_TIMESTAMP(6))";

    @Override
    public String schema() {
        return "h2.sql";
    }

    @Override
    public String quote(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }

    @Override
    public @Nullable String schemaOf(Sql sql, Tables tables) throws SQLException {
        return sql.first("SELECT CURRENT_SCHEMA", row -> row.getString(1));
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
        try {
            return sql.first(
                    "SELECT " + returning + " FROM FINAL TABLE (" + statement + ")", row -> row.getLong(1), values);
        } catch (SQLException e) {
            if (isDuplicate(e)) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public String insertInto() {
        return "INSERT INTO ";
    }

    @Override
    public String unlessThere() {
        return "";
    }

    @Override
    public String lockRow(String columns) {
        return "SELECT " + columns + ", " + NOW
                + " FROM FINAL TABLE (UPDATE $lock SET turns = turns + 1 WHERE namespace = ? AND name = ?)";
    }

    @Override
    public boolean singleStatementsNeedReadCommitted() {
        return true;
    }

    @Override
    public boolean needsReadCommitted() {
        return true;
    }

    @Override
    public void check(Connection connection, Sql sql) throws SQLException {
        String url = connection.getMetaData().getURL().toLowerCase(Locale.ROOT);
        if ("1".equals(setting(sql, "IGNORECASE"))) {
            throw new LockException(
                    "the H2 database " + url + " has IGNORECASE set, by which 'Order' and 'ORDER' are one"
                            + " lock; nothing was locked. Leave it out of its URL, or use another database");
        }
        try {
            sql.run("SELECT 1 LIMIT 1");
        } catch (SQLException e) {
            throw new LockException(
                    "the H2 database " + url
                            + " is in a MODE that knows no LIMIT; nothing was locked. Use another mode,"
                            + " REGULAR or PostgreSQL for example",
                    e);
        }
        if (url.startsWith("jdbc:h2:mem:")) {
            require(
                    sql,
                    url,
                    "DB_CLOSE_DELAY",
                    "-1",
                    "a database in memory is gone when its last connection is closed, and all locks with it",
                    ";DB_CLOSE_DELAY=-1");
            return;
        }
        if (url.contains("/mem:")) {
            throw new LockException("the database " + url + " is in another process's memory; nothing was locked."
                    + " When that process ends, locks are forgotten that are still relied on here. Use a database in a file,"
                    + " with WRITE_DELAY=0");
        }
        require(
                sql,
                url,
                "WRITE_DELAY",
                "0",
                "H2 writes what it has committed only later, and a killed process would lose it",
                ";WRITE_DELAY=0 (and ;AUTO_SERVER=TRUE where several processes use it)");
    }

    private static void require(Sql sql, String url, String setting, String value, String why, String remedy)
            throws SQLException {
        String found = setting(sql, setting);
        if (!value.equals(found)) {
            throw new LockException("the H2 database " + url + " has "
                    + (found == null ? "no " + setting + " set" : setting + "=" + found) + ": " + why
                    + "; nothing was locked. Add " + remedy + " to its URL, where it is opened first");
        }
    }

    /** Names are in lower case with {@code DATABASE_TO_LOWER}. */
    private static @Nullable String setting(Sql sql, String name) throws SQLException {
        return sql.first(
                "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE UPPER(SETTING_NAME) = '" + name + "'",
                row -> row.getString(1));
    }

    @Override
    public boolean isDuplicate(SQLException e) {
        return e.getErrorCode() == DUPLICATE_KEY;
    }

    @Override
    public boolean isRetryable(SQLException e) {
        int code = e.getErrorCode();
        return code == DEADLOCK || code == LOCK_TIMEOUT || code == CONCURRENT_UPDATE;
    }

    @Override
    public boolean isDenied(SQLException e) {
        return e.getErrorCode() == 90096;
    }

    @Override
    public boolean isMissingTable(SQLException e) {
        int code = e.getErrorCode();
        return (code >= 42102 && code <= 42104) || code == 90079;
    }
}

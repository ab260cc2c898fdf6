package dev.leasehold.jdbc.dialect;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.connection.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The MySQL dialect is that of MariaDB and MySQL.
 *
 * <p>They cannot return values from an update, but {@code LAST_INSERT_ID(…)} puts one number into the answer that every
 * statement gets anyway. The time is {@code UTC_TIMESTAMP}, which knows no time zone; {@code SYSDATE} and {@code NOW} are
 * local times, of which one hour a year comes twice. The literal is typed, or the server would parse it each time that it
 * evaluates the expression, which some statements do seven times.
 *
 * @param schema the file with the tables
 */
public record MySqlDialect(String schema) implements Dialect {

    private static final Pattern REPLAY = Pattern.compile("(?i)\\btransactionReplay=(?!false)");
    private static final int LOCK_WAIT = 1205;
    private static final int DEADLOCK = 1213;
    private static final int CHANGED_SINCE_SNAPSHOT = 1020;
    private static final int NO_SUCH_TABLE = 1146;
    private static final int NO_SUCH_DATABASE = 1049;

    /** These errors deny access: to a database, for a user, to a table by a command, to a column. */
    private static final Set<Integer> DENIED = Set.of(1044, 1045, 1142, 1143);

    @Override
    public String quote(String identifier) {
        return '`' + identifier.replace("`", "``") + '`';
    }

    @Override
    public @Nullable String schemaOf(Sql sql, Tables tables) throws SQLException {
        return sql.first("SELECT DATABASE()", row -> row.getString(1));
    }

    @Override
    public String now() {
        return "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    /** The columns are of bytes, or "a" and "a " would be one name under most collations. */
    @Override
    public Object name(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String name(ResultSet row, int column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    @Override
    public String marked(String expression) {
        return "LAST_INSERT_ID(" + expression + ")";
    }

    @Override
    public @Nullable Long update(Sql sql, String statement, String returning, @Nullable Object... values)
            throws SQLException {
        return sql.generated(statement, values);
    }

    @Override
    public String insertInto() {
        return "INSERT IGNORE INTO ";
    }

    @Override
    public String unlessThere() {
        return "";
    }

    /** A locking read sees what is there now, at every isolation level, and begins no snapshot. */
    @Override
    public String lockRow(String columns) {
        return "SELECT " + columns + ", " + now() + " FROM $lock WHERE namespace = ? AND name = ? FOR UPDATE";
    }

    @Override
    public boolean singleStatementsNeedReadCommitted() {
        return false;
    }

    @Override
    public String versionQuestion() {
        return "SELECT CONCAT(@@version, ' ', @@version_comment)";
    }

    @Override
    public void check(Connection connection, Sql sql) throws SQLException {
        refuseReplay(connection.getMetaData().getURL());
        if (sql.number("SELECT @@innodb_flush_log_at_trx_commit") == 0) {
            System.getLogger("dev.leasehold.jdbc")
                    .log(
                            System.Logger.Level.WARNING,
                            "innodb_flush_log_at_trx_commit is 0: if the database crashes, it forgets the locks of the last"
                                    + " second, and they may be held twice. Set it to 1");
        }
    }

    private static void refuseReplay(@Nullable String url) {
        if (url != null && REPLAY.matcher(url).find()) {
            throw new LockException(
                    "the MariaDB driver's option transactionReplay carries a transaction that was cut out"
                            + " again, when others may have had the lock meanwhile; nothing was locked. Leave it out of the URL, or"
                            + " give Leasehold a data source without it");
        }
    }

    @Override
    public boolean isRetryable(SQLException e) {
        int code = e.getErrorCode();
        return code == LOCK_WAIT || code == DEADLOCK || code == CHANGED_SINCE_SNAPSHOT || Dialect.isRolledBack(e);
    }

    /** The driver waits for a plain socket. */
    @Override
    public boolean mayServeCallersThreads() {
        return true;
    }

    @Override
    public boolean isDenied(SQLException e) {
        return DENIED.contains(e.getErrorCode());
    }

    @Override
    public boolean isMissingTable(SQLException e) {
        return e.getErrorCode() == NO_SUCH_TABLE || e.getErrorCode() == NO_SUCH_DATABASE;
    }

    /** The server says {@code app@%}. */
    @Override
    public String user(Sql sql) throws SQLException {
        String user = Objects.requireNonNull(sql.first("SELECT CURRENT_USER()", row -> row.getString(1)));
        int at = user.lastIndexOf('@');
        return quote(user.substring(0, at)) + "@" + quote(user.substring(at + 1));
    }

    @Override
    public SessionRules sessions() {
        return new MySqlSessions();
    }
}

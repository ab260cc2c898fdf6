package dev.leasehold.jdbc.dialect;

import dev.leasehold.jdbc.connection.Sql;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The session rules of MariaDB and MySQL use {@code GET_LOCK}: names of at most 64 characters, in which case makes no
 * difference, known to the whole server.
 */
public final class MySqlSessions implements SessionRules {

    private static final String PREFIX = "leasehold:";
    private static final int KEY_BYTES = 24;
    private static final int NO_SUCH_THREAD = 1094;

    @Override
    public void check(Sql sql) throws SQLException {
        MySqlWriters.refuseSessionLocks(sql);
    }

    @Override
    public Object key(byte[] digest) {
        return PREFIX + HexFormat.of().formatHex(Arrays.copyOf(digest, KEY_BYTES));
    }

    @Override
    public String place(Sql sql, Tables tables) throws SQLException {
        String schema = tables.schema();
        return schema != null
                ? schema
                : String.valueOf(sql.<String>first("SELECT DATABASE()", row -> row.getString(1)));
    }

    @Override
    public long session(Sql sql) throws SQLException {
        return sql.number("SELECT CONNECTION_ID()");
    }

    @Override
    public @Nullable Long idleMillis(Sql sql) throws SQLException {
        return sql.number("SELECT @@SESSION.wait_timeout") * 1000;
    }

    /** Limits in whole seconds; never to less than was asked for. */
    @Override
    public void limitIdle(Sql sql, long millis) throws SQLException {
        sql.change("SET SESSION wait_timeout = ?", (millis + 999) / 1000);
    }

    @Override
    public Answer take(Sql sql, Object key) throws SQLException {
        return answer(sql, "SELECT GET_LOCK(?, 0), CONNECTION_ID()", key);
    }

    @Override
    public Answer give(Sql sql, Object key) throws SQLException {
        return answer(sql, "SELECT RELEASE_LOCK(?), CONNECTION_ID()", key);
    }

    private static Answer answer(Sql sql, String statement, Object key) throws SQLException {
        Answer answer = sql.first(statement, row -> new Answer(row.getInt(1) == 1, row.getLong(2)), key);
        if (answer == null) {
            throw new SQLException("no row: " + statement);
        }
        return answer;
    }

    @Override
    public void giveAll(Sql sql) throws SQLException {
        sql.run("SELECT RELEASE_ALL_LOCKS()");
    }

    @Override
    public Set<Object> taken(Sql sql, Collection<Object> keys) throws SQLException {
        Set<Object> taken = new HashSet<>();
        for (Object key : keys) {
            if (holder(sql, key) != 0) {
                taken.add(key);
            }
        }
        return taken;
    }

    /** A number cannot be a parameter of {@code KILL}; this one is the server's own. */
    @Override
    public void end(Sql sql, Object key) throws SQLException {
        long session = holder(sql, key);
        if (session == 0) {
            return;
        }
        try {
            sql.run("KILL CONNECTION " + session);
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_THREAD) {
                throw e;
            }
        }
    }

    /** Returns the session that has a key; zero if nobody has it. */
    private static long holder(Sql sql, Object key) throws SQLException {
        return sql.number("SELECT IS_USED_LOCK(?)", key);
    }
}

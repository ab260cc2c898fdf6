package dev.leasehold.jdbc.dialect;

import dev.leasehold.jdbc.connection.Sql;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The session rules of PostgreSQL use its advisory locks: 64 bits, known to one database. */
public final class PostgresSessions implements SessionRules {

    /** This selects all advisory locks with keys of this kind; everybody may see them. */
    private static final String ADVISORY = " FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private static final String KEY = "((classid::bigint << 32) | objid::bigint)";

    @Override
    public Object key(byte[] digest) {
        return ByteBuffer.wrap(digest).getLong();
    }

    @Override
    public String place(Sql sql, Tables tables) throws SQLException {
        String schema = sql.first(
                "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE c.oid = to_regclass(?)",
                row -> row.getString(1),
                tables.in("$lock"));
        return String.valueOf(schema);
    }

    @Override
    public long session(Sql sql) throws SQLException {
        return sql.number("SELECT pg_backend_pid()");
    }

    @Override
    public @Nullable Long idleMillis(Sql sql) throws SQLException {
        return sql.first(
                "SELECT setting::bigint FROM pg_settings WHERE name = 'idle_session_timeout'", row -> row.getLong(1));
    }

    @Override
    public void limitIdle(Sql sql, long millis) throws SQLException {
        sql.first("SELECT set_config('idle_session_timeout', ?, false)", row -> 1, Long.toString(millis));
    }

    @Override
    public Answer take(Sql sql, Object key) throws SQLException {
        return answer(sql, "SELECT pg_try_advisory_lock(?), pg_backend_pid()", key);
    }

    @Override
    public Answer give(Sql sql, Object key) throws SQLException {
        return answer(sql, "SELECT pg_advisory_unlock(?), pg_backend_pid()", key);
    }

    private static Answer answer(Sql sql, String statement, Object key) throws SQLException {
        Answer answer = sql.first(statement, row -> new Answer(row.getBoolean(1), row.getLong(2)), key);
        if (answer == null) {
            throw new SQLException("no row: " + statement);
        }
        return answer;
    }

    @Override
    public void giveAll(Sql sql) throws SQLException {
        sql.run("SELECT pg_advisory_unlock_all()");
    }

    @Override
    public Set<Object> taken(Sql sql, Collection<Object> keys) throws SQLException {
        Set<Object> taken = new HashSet<>(sql.all("SELECT " + KEY + ADVISORY, row -> row.getLong(1)));
        taken.retainAll(keys);
        return taken;
    }

    @Override
    public void end(Sql sql, Object key) throws SQLException {
        try {
            sql.all(
                    "SELECT pg_terminate_backend(pid)" + ADVISORY + " AND " + KEY + " = ?",
                    row -> row.getBoolean(1),
                    key);
        } catch (SQLException e) {
            // The user has the rights to our tables: this state would advise GRANTs for them.
            throw "42501".equals(e.getSQLState()) ? new SQLException("42501: " + e.getMessage(), "42000") : e;
        }
    }
}

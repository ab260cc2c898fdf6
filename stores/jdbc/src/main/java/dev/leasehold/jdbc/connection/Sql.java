package dev.leasehold.jdbc.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An Sql runs statements on one connection and keeps them prepared. Values are always parameters. Not thread-safe. */
public final class Sql implements AutoCloseable {

    /** A reader reads one row. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** This state means "statement completion unknown", in the class of those that were undone. */
    public static final String COMPLETION_UNKNOWN = "40003";

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private @Nullable ConnectionRules heeding;
    private @Nullable ConnectionRules limiting;
    private int limitMillis;

    public Sql(Connection connection) {
        this.connection = connection;
    }

    /** Has the server end each statement that is not answered within this time. */
    void limit(ConnectionRules dialect, int millis) {
        limiting = dialect;
        limitMillis = millis;
    }

    /** Has what the server says beside its answers heeded. */
    void heed(ConnectionRules dialect) {
        heeding = dialect;
    }

    private void answered(Statement statement) throws SQLException {
        if (heeding != null) {
            heeding.heed(statement);
        }
    }

    /** Runs a statement whose result does not matter. */
    public void run(String sql) throws SQLException {
        prepared(sql).execute();
    }

    /** Changes rows and tells how many. */
    public int change(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = bound(sql, values);
        int changed = statement.executeUpdate();
        answered(statement);
        return changed;
    }

    /** Changes a row and reads the number that the database made with it, or null where there was no such row. */
    public @Nullable Long generated(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = limited(connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS));
            prepared.put(sql, statement);
        }
        bind(statement, values);
        int changed = statement.executeUpdate();
        answered(statement);
        if (changed == 0) {
            return null;
        }
        try (ResultSet keys = statement.getGeneratedKeys()) {
            return keys.next() ? keys.getLong(1) : null;
        }
    }

    /** Runs one statement with many sets of values. */
    void batch(String sql, List<@Nullable Object[]> all) throws SQLException {
        PreparedStatement statement = prepared(sql);
        for (@Nullable Object[] values : all) {
            bind(statement, values);
            statement.addBatch();
        }
        statement.executeBatch();
    }

    /** Reads the first row, or null where there is none. */
    public <T> @Nullable T first(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = query(sql, values)) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Reads all rows. */
    public <T> List<T> all(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = query(sql, values)) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        }
    }

    /** Reads the number in the first row. */
    public long number(String sql, @Nullable Object... values) throws SQLException {
        Long number = first(sql, row -> row.getLong(1), values);
        if (number == null) {
            throw new SQLException("no row: " + sql);
        }
        return number;
    }

    public int isolation() throws SQLException {
        return connection.getTransactionIsolation();
    }

    private ResultSet query(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = bound(sql, values);
        ResultSet rows = statement.executeQuery();
        answered(statement);
        return rows;
    }

    private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepared(sql);
        bind(statement, values);
        return statement;
    }

    private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value instanceof Long number) {
                statement.setLong(i + 1, number);
            } else if (value instanceof String text) {
                statement.setString(i + 1, text);
            } else {
                statement.setObject(i + 1, value);
            }
        }
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = limited(connection.prepareStatement(sql));
            prepared.put(sql, statement);
        }
        return statement;
    }

    private PreparedStatement limited(PreparedStatement statement) throws SQLException {
        if (limiting != null) {
            limiting.limit(statement, limitMillis);
        }
        return statement;
    }

    /** Closes the statements, not the connection. */
    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
    }

    /**
     * Returns whether a connection is, or is about to be, no more, so that nobody knows what came of the last
     * statement; or a server itself says that it does not know.
     */
    public static boolean isBroken(SQLException e) {
        if (e instanceof java.sql.SQLRecoverableException
                || e instanceof java.sql.SQLNonTransientConnectionException
                // With a number it is MariaDB's driver that does not know the class of a server's answer, as of a
                // SIGNAL's.
                || (e instanceof java.sql.SQLTransientConnectionException && e.getErrorCode() <= 0)) {
            return true;
        }
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("08")
                || state.equals(COMPLETION_UNKNOWN)
                || List.of("57P01", "57P02", "57P03", "57P05", "25P03", "25P04").contains(state);
    }
}

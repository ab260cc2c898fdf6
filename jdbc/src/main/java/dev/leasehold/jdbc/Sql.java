package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements on one connection and keeps them prepared. Values are always parameters. Not thread-safe.
 */
final class Sql {

    /** Reads one row. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    Sql(Connection connection) {
        this.connection = connection;
    }

    /** Runs a statement whose result does not matter. */
    void run(String sql) throws SQLException {
        prepared(sql).execute();
    }

    /** Changes rows and tells how many. */
    int change(String sql, @Nullable Object... values) throws SQLException {
        return bound(sql, values).executeUpdate();
    }

    /** Reads the first row, or null where there is none. */
    <T> @Nullable T first(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = bound(sql, values).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Reads all rows. */
    <T> List<T> all(String sql, Reader<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = bound(sql, values).executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        }
    }

    /** Reads the number in the first row. */
    long number(String sql, @Nullable Object... values) throws SQLException {
        Long number = first(sql, row -> row.getLong(1), values);
        if (number == null) {
            throw new SQLException("no row: " + sql);
        }
        return number;
    }

    private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepared(sql);
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
        return statement;
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }
}

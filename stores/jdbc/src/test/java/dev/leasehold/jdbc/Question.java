package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A question is one to a database, beside the client that is tested. */
public final class Question {

    private Question() {}

    /** Returns the number in the first row. */
    public static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Asks on a connection of its own. */
    public static long number(String url, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return number(connection, query);
        }
    }
}

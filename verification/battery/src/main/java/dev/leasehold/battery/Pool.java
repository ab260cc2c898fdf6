package dev.leasehold.battery;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A pool lends connections to a peer, as HikariCP makes it by default. */
final class Pool {

    private Pool() {}

    static HikariDataSource of(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(5);
        return new HikariDataSource(config);
    }

    /** Returns the version of a database, without what its packager adds. */
    static String version(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return connection.getMetaData().getDatabaseProductVersion().split("[- ]", 2)[0];
        }
    }

    /** Carries one statement out. */
    static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns how many rows a table has, or a query in brackets with a name behind it. */
    static long count(String url, String table) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            count.next();
            return count.getLong(1);
        }
    }

    /** Returns how many rows each of the tables has that a query names. */
    static Map<String, Long> rows(String url, String tables) throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        try (Connection connection = DriverManager.getConnection(url)) {
            for (String name : names(connection, tables)) {
                rows.put("rows of " + name, count(url, name));
            }
        }
        return rows;
    }

    /** Returns the names that a query finds. */
    static List<String> names(Connection connection, String query) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                names.add(found.getString(1));
            }
        }
        return names;
    }
}

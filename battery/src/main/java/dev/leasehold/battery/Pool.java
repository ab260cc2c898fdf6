package dev.leasehold.battery;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A pool of connections for a peer, as HikariCP makes it by default. */
final class Pool {

    private Pool() {}

    static HikariDataSource of(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(5);
        return new HikariDataSource(config);
    }

    /** The version of a database, without what its packager adds. */
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
}

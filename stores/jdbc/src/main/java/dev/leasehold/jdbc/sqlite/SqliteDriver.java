package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;

/** SqliteDriver uses SQLite's driver by itself: {@code DriverManager} would load every driver on the class path. */
final class SqliteDriver {

    private SqliteDriver() {}

    /** Makes sure that the driver is there, before anything is done that would be in vain without it. */
    static void require(StoreFile file) {
        driver(file);
    }

    static Connection connect(StoreFile file, Properties settings) throws SQLException {
        Connection connection = driver(file).connect(file.jdbcUrl(), settings);
        if (connection == null) {
            throw new SQLException("SQLite's driver does not take " + file.jdbcUrl());
        }
        return connection;
    }

    /** Returns which of the drivers that may be in this JVM. */
    static Class<?> type(StoreFile file) {
        return driver(file).getClass();
    }

    private static Driver driver(StoreFile file) {
        try {
            return Class.forName("org.sqlite.JDBC")
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LockException(
                    "the store " + file + " needs SQLite's driver: add the dependency org.xerial:sqlite-jdbc", e);
        }
    }
}

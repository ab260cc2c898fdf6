package dev.leasehold.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Where a store's connections come from. Thread-safe. */
interface ConnectionSource extends AutoCloseable {

    Connection get() throws SQLException;

    /** Whether it has a connection at hand, and one that has nothing to do with the thread that asks. */
    boolean hasOneReady();

    /** One that is at hand, or an exception soon. */
    Connection getReady(int patienceMillis) throws SQLException;

    /** Whether it certainly has a connection more than the workers need. */
    boolean hasOneToSpare();

    /** Whether the server ends their statements by itself, when they wait for a row for too long. */
    boolean limitsWaits();

    /** Closes what was opened for the store, and nothing of the user's. */
    @Override
    void close();

    /** A data source of the user's. */
    static ConnectionSource of(DataSource given) {
        return new ConnectionSource() {
            @Override
            public Connection get() throws SQLException {
                return given.getConnection();
            }

            @Override
            public boolean hasOneReady() {
                return given instanceof HikariDataSource pool && ReadyConnections.any(pool);
            }

            @Override
            public Connection getReady(int patienceMillis) throws SQLException {
                return ReadyConnections.take((HikariDataSource) given, patienceMillis);
            }

            @Override
            public boolean hasOneToSpare() {
                return false;
            }

            @Override
            public boolean limitsWaits() {
                return false;
            }

            @Override
            public void close() {
                // It is the user's.
            }
        };
    }

    /** How a store that is being opened gets at its connections. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens the source, without connecting.
         *
         * @param most how many connections are used at most
         * @param patience how long to wait for one
         */
        ConnectionSource open(int most, Duration patience);
    }
}

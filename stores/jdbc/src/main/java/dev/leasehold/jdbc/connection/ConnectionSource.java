package dev.leasehold.jdbc.connection;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection source lends a store its connections. Thread-safe. */
public interface ConnectionSource extends AutoCloseable {

    Connection get() throws SQLException;

    /** Returns whether it has a connection at hand, and one that has nothing to do with the thread that asks. */
    boolean hasOneReady();

    /** Returns an idle connection, or throws soon. */
    Connection getReady(int poolTimeoutMillis) throws SQLException;

    /** Returns whether it certainly has a connection more than the workers need. */
    boolean hasOneToSpare();

    /** Returns whether the server ends their statements by itself, when they wait for a row for too long. */
    boolean limitsWaits();

    /**
     * Returns why no connection is available at the moment, where the pool shows that it is exhausted; else null.
     */
    default @Nullable String exhausted() {
        return null;
    }

    /** Takes note that the calling thread asks for a lock; it may have a connection of this source's. */
    default void calling() {}

    /** Closes what was opened for the store, and nothing of the user's. */
    @Override
    void close();

    /** Wraps a data source of the user's. */
    static ConnectionSource of(DataSource given) {
        CallersTransactions transactions = new CallersTransactions(given);
        return new ConnectionSource() {
            @Override
            public @Nullable String exhausted() {
                return NoConnection.reason(given);
            }

            @Override
            public void calling() {
                transactions.look();
            }

            @Override
            public Connection get() throws SQLException {
                return given.getConnection();
            }

            @Override
            public boolean hasOneReady() {
                return given instanceof HikariDataSource pool && ReadyConnections.any(pool);
            }

            @Override
            public Connection getReady(int poolTimeoutMillis) throws SQLException {
                return ReadyConnections.take((HikariDataSource) given, poolTimeoutMillis);
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

    /** An opener opens the source of a store's connections. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens the source, without connecting.
         *
         * @param most how many connections are used at most
         * @param databaseTimeout how long to wait for one, and for an answer on it
         */
        ConnectionSource open(int most, Duration databaseTimeout);
    }
}

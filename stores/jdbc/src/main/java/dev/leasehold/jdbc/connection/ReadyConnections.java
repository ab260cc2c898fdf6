package dev.leasehold.jdbc.connection;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;

/** Ready connections are those that a Hikari pool has at hand, for those who cannot wait for one. */
final class ReadyConnections {

    private ReadyConnections() {}

    /** Returns the pool of exactly Hikari's own class: a subclass may do anything with the thread, and a pool that can be suspended may make all callers wait. */
    private static @Nullable HikariPool pool(HikariDataSource source) {
        return source.getClass() == HikariDataSource.class
                        && !source.isAllowPoolSuspension()
                        && source.getHikariPoolMXBean() instanceof HikariPool pool
                ? pool
                : null;
    }

    static boolean any(HikariDataSource source) {
        HikariPool pool = pool(source);
        return pool != null && pool.getIdleConnections() > 0;
    }

    static Connection take(HikariDataSource source, long millis) throws SQLException {
        HikariPool pool = pool(source);
        if (pool == null) {
            throw new SQLTransientConnectionException("there is no pool");
        }
        return pool.getConnection(millis);
    }
}

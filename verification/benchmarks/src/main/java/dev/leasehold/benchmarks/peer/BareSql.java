package dev.leasehold.benchmarks.peer;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A bare SQL lock is the least that a lock in a table takes: two prepared statements, on a connection for each thread. */
final class BareSql implements LockClient {

    private final Target target;
    private final List<Connection> connections = new ArrayList<>();

    BareSql(Target target) throws SQLException {
        this.target = target;
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS bare (name varchar(64) PRIMARY KEY, owner varchar(64), ends bigint)");
        } catch (SQLException e) {
            // Two create it at once: the other one did.
        }
    }

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(SqlUris.prepared(target));
        connections.add(connection);
        return connection;
    }

    @Override
    public LockHandle lock(String name) throws SQLException {
        Connection connection = connect();
        try (PreparedStatement row = connection.prepareStatement(
                "INSERT INTO bare SELECT ?, NULL, 0 WHERE NOT EXISTS (SELECT 1 FROM bare" + " WHERE name = ?)")) {
            row.setString(1, name);
            row.setString(2, name);
            row.executeUpdate();
        }
        PreparedStatement take =
                connection.prepareStatement("UPDATE bare SET owner = ?, ends = ? WHERE name = ? AND ends <= ?");
        PreparedStatement free = connection.prepareStatement("UPDATE bare SET owner = NULL, ends = 0 WHERE name = ?");
        long millis = target.lease().toMillis();
        return new LockHandle() {
            @Override
            public void acquire() throws SQLException {
                while (true) {
                    long now = System.currentTimeMillis();
                    take.setString(1, "me");
                    take.setLong(2, now + millis);
                    take.setString(3, name);
                    take.setLong(4, now);
                    if (take.executeUpdate() == 1) {
                        return;
                    }
                    LockSupport.parkNanos(1_000_000);
                }
            }

            @Override
            public void release() throws SQLException {
                free.setString(1, name);
                if (free.executeUpdate() != 1) {
                    throw new IllegalStateException("the lock was lost");
                }
            }
        };
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
    }
}

package dev.leasehold.benchmarks.peer;

import dev.leasehold.benchmarks.server.StoreKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A bare relay is the least that a hand-over between processes takes in PostgreSQL. A process commits that it has the lock,
 * commits that it has not, and with that notifies the next in a ring, which is fixed: there is no queue, so nothing is
 * decided. One thread per process.
 */
final class BareRelay implements LockClient {

    private final Connection connection;
    private final PGConnection notifications;

    BareRelay(Target target) throws SQLException {
        if (target.store() != StoreKind.POSTGRES) {
            throw new IllegalArgumentException("only PostgreSQL can notify");
        }
        connection = DriverManager.getConnection(target.uri());
        notifications = connection.unwrap(PGConnection.class);
    }

    @Override
    public LockHandle lock(String name) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS relay (name text, member int, PRIMARY KEY (name, member))");
            statement.execute("CREATE TABLE IF NOT EXISTS baton (name text PRIMARY KEY, owner int)");
        } catch (SQLException e) {
            // Two create it at once: the other one did.
        }
        int me = join(name);
        return new LockHandle() {
            private boolean hasBaton = me == 0;
            private String next = "";

            @Override
            public void acquire() throws SQLException {
                while (!hasBaton) {
                    PGNotification[] heard = notifications.getNotifications(0);
                    hasBaton = heard != null && heard.length > 0;
                }
                hasBaton = false;
                update("UPDATE baton SET owner = " + me + " WHERE name = '" + name + "'");
            }

            @Override
            public void release() throws SQLException {
                if (next.isEmpty()) {
                    next = channel(name, following(name, me));
                }
                update("WITH freed AS (UPDATE baton SET owner = NULL WHERE name = '" + name
                        + "' RETURNING 1) SELECT pg_notify('" + next + "', '') FROM freed");
            }
        };
    }

    private int join(String name) throws SQLException {
        for (int me = 0; ; me++) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("LISTEN " + channel(name, me));
                statement.execute("INSERT INTO relay VALUES ('" + name + "', " + me + ")");
                if (me == 0) {
                    statement.execute("INSERT INTO baton VALUES ('" + name + "', NULL)");
                }
                return me;
            } catch (SQLException e) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("UNLISTEN " + channel(name, me));
                }
            }
        }
    }

    private static String channel(String name, int member) {
        return "relay_" + name.replaceAll("\\W", "_") + "_" + member;
    }

    /** All have joined when the first release comes, but for one that releases before others have started: it waits for them. */
    private int following(String name, int me) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet members = statement.executeQuery("SELECT count(*) FROM relay WHERE name = '" + name + "'")) {
            members.next();
            return (me + 1) % members.getInt(1);
        }
    }

    private void update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}

package dev.leasehold.jdbc.doctor;

import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.jdbc.connection.ConnectionSource;
import dev.leasehold.jdbc.connection.PooledConnection;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.dialect.Product;
import dev.leasehold.jdbc.server.Notifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * PostgresMessages examines whether messages come through from one connection to another. If they do not, there is a pooler
 * in between that lends connections to the database for a transaction at a time: it takes {@code LISTEN} and then delivers
 * nothing.
 */
final class PostgresMessages {

    private static final int MESSAGE_TIMEOUT_MILLIS = 2_000;

    private PostgresMessages() {}

    static Finding finding(
            String node, ConnectionSource source, PooledConnection listening, int connectMillis, String client)
            throws SQLException {
        String channel = Notifier.channel(client);
        Connection connection = listening.connection();
        if (Product.POSTGRESQL.rules().isThroughPooler(connection, listening.sql())) {
            return pooler(node, "there is a pooler in between"); // LISTEN would stay in a session of others.
        }
        try (PooledConnection telling = PooledConnection.from(source, connectMillis);
                Statement statement = connection.createStatement()) {
            statement.execute("LISTEN \"" + channel + "\"");
            Notifier.send(telling.sql(), channel, "doctor");
            PGNotification[] messages = connection.unwrap(PGConnection.class).getNotifications(MESSAGE_TIMEOUT_MILLIS);
            statement.execute("UNLISTEN \"" + channel + "\"");
            return messages != null && messages.length > 0
                    ? Finding.of(Severity.FINE, "database-messages", node, "messages come through (LISTEN, NOTIFY)")
                    : pooler(
                            node,
                            "messages do not come through within " + MESSAGE_TIMEOUT_MILLIS
                                    + " ms: there seems to be a pooler in between that lends connections per transaction");
        } catch (SQLException e) {
            if (Sql.isBroken(e)) {
                return Finding.of(
                                Severity.NOTE,
                                "database-messages-not-seen",
                                node,
                                "whether messages come through was not seen: " + e.getMessage())
                        .meaning(
                                "if they do not, or there is no connection to spare to listen on, waiters poll",
                                "give the pool two connections more");
            }
            throw e;
        }
    }

    private static Finding pooler(String node, String seen) {
        return Finding.of(Severity.NOTE, "database-pooler", node, seen)
                .meaning(
                        "waiters poll, which costs statements and up to 100 ms at each hand-over; locks are as right. Locks"
                                + " that belong to a session are refused where it lends connections per transaction",
                        "connect past the pooler; or set leasehold.listen=false");
    }
}

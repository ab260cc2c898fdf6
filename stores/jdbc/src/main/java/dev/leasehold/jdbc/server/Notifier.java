package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.LocalClients;
import dev.leasehold.jdbc.protocol.TxContext;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A notifier carries notifications from a transaction to the clients that they are for: within this JVM by a call, on
 * PostgreSQL also by a message that the database sends when it commits. Thread-safe.
 */
public final class Notifier {

    /** The name of each client's channel begins with this prefix. */
    private static final String CHANNEL = "leasehold_";

    private static final int LONGEST_CHANNEL = 63;

    /** PostgreSQL says so of a commit that it has undone, since there was no room for its messages. */
    private static final String LIMIT_EXCEEDED = "54000";

    private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LocalClients.LocalClient self;
    private final boolean notify;
    private volatile @Nullable String joined;

    /** When the server's queue of messages was found to be full, or long ago. */
    private volatile long fullAt = System.nanoTime() - REST_NANOS;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Makes a notifier.
     *
     * @param notify whether the news also goes through the database: commits that carry a notification wait for each
     *     other
     */
    Notifier(LocalClients.LocalClient self, boolean notify) {
        this.self = self;
        this.notify = notify;
    }

    void opened(ReadyDatabase at) {
        joined = at.found().place();
        LocalClients.join(at.found().place(), self);
    }

    void close() {
        String place = joined;
        if (place != null) {
            LocalClients.leave(place, self);
        }
    }

    /** Adds the notifications to the transaction. */
    void write(List<TxContext.Notification> notifications, Sql sql, ReadyDatabase at) throws SQLException {
        if (!notify || !at.texts().dialect().canNotify() || System.nanoTime() - fullAt < REST_NANOS) {
            return;
        }
        for (TxContext.Notification item : notifications) {
            String payload =
                    item instanceof TxContext.Notification.Broken broken ? "broken " + broken.lock() : "granted";
            send(sql, channel(item.client()), payload);
        }
    }

    /**
     * Returns whether a transaction was undone because the server has no room for messages. Then none are written for a while:
     * waiters find out by asking, and poll as soon as they notice.
     */
    boolean isFull(SQLException e) {
        if (!LIMIT_EXCEEDED.equals(e.getSQLState())) {
            return false;
        }
        fullAt = System.nanoTime();
        if (warned.compareAndSet(false, true)) {
            System.getLogger("dev.leasehold.jdbc")
                    .log(
                            System.Logger.Level.WARNING,
                            "PostgreSQL has no room for messages (" + e.getMessage()
                                    + "): some session, perhaps of another"
                                    + " application, has listened and keeps a transaction open (pg_stat_activity shows it"
                                    + " as idle in transaction). Until it ends, waiters hear of a release late");
        }
        return true;
    }

    public static boolean send(Sql sql, String channel, String payload) throws SQLException {
        sql.first("SELECT pg_notify(?, ?)", row -> 1, channel, payload);
        return true;
    }

    /** Tells them within this JVM, after the commit. */
    void tell(List<TxContext.Notification> notifications, ReadyDatabase at) {
        LocalClients.tell(at.found().place(), notifications);
    }

    /** Each client has a channel of its own, so that nobody is woken for somebody else. */
    public static String channel(String client) {
        String channel = CHANNEL + client.replaceAll("[^A-Za-z0-9]", "_");
        return channel.substring(0, Math.min(LONGEST_CHANNEL, channel.length()));
    }
}

package dev.leasehold.jdbc.server;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.internal.Guard;
import dev.leasehold.jdbc.connection.PooledConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A PostgreSQL listener hears, on a connection of its own, what PostgreSQL tells one client, by one daemon thread, for as
 * long as the client waits, or holds what it has renewed. Thread-safe.
 *
 * <p>Whether messages come through at all is not taken on trust: a pooler that lends connections per transaction accepts
 * {@code LISTEN} and then delivers nothing. So the client sends itself a message on another connection, and only when that
 * has arrived it relies on being told. The connection is asked again by the same test every now and then; when it breaks,
 * or its pool turns out to have no other, waiters poll as on other databases, and it is tried again later.
 */
final class PostgresListener {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final int LISTEN_MILLIS = 500;
    private static final long PROBE_NANOS = 3_000_000_000L;
    private static final long PROBE_EVERY_NANOS = 30_000_000_000L;
    private static final long RETRY_MOST_NANOS = 30_000_000_000L;
    private static final long RETRY_LEAST_NANOS = 100_000_000L;
    private static final long IDLE_NANOS = 30_000_000_000L;
    private static final long STARVED_NANOS = 300_000_000_000L;
    private static final String PROBE = "probe";

    /** A client hears what the listener has received. */
    interface Client {
        /** Borrows the connection to listen on. */
        PooledConnection connect() throws SQLException;

        /** Has a message sent on another connection, soon. */
        void notifySelf(String channel, String payload);

        /** Something was granted. */
        void granted();

        /** A lease on a lock was broken. */
        void broken(String lock);

        /** Tells whether messages come through from now on. */
        void told(boolean comesThrough);

        /** Returns whether nothing is waited for, nor held for long. */
        boolean isIdle();

        /** Returns whether others have been waiting for a connection for too long. */
        boolean isStarved();
    }

    private final String name;
    private final Supplier<String> channel;
    private final Client client;
    private final Guard mutex = new Guard();
    private @Nullable Thread thread;
    private volatile boolean closed;

    /** Whether it was said that messages do not come through; of the listener's thread. */
    private boolean saidDeaf;

    PostgresListener(String name, Supplier<String> channel, Client client) {
        this.name = name;
        this.channel = channel;
        this.client = client;
    }

    /** Something is waited for, or held for long. */
    void want() {
        mutex.lock();
        try {
            if (thread == null && !closed) {
                Thread started = DaemonThreads.unstarted(name, this::run);
                started.start();
                thread = started;
            }
            LockSupport.unpark(thread);
        } finally {
            mutex.unlock();
        }
    }

    @Nullable Thread close() {
        mutex.lock();
        try {
            closed = true;
            LockSupport.unpark(thread);
            return thread;
        } finally {
            mutex.unlock();
        }
    }

    private void run() {
        long pause = RETRY_LEAST_NANOS;
        while (awaitWanted()) {
            pause = listenOnce(pause);
        }
    }

    /** Returns how long the next pause is at least. If anything goes wrong, waiters poll, and it is tried again. */
    private long listenOnce(long before) {
        boolean cameThrough = false;
        boolean starved = false;
        try {
            try (PooledConnection borrowed = client.connect()) {
                try {
                    cameThrough = listen(borrowed.connection());
                    starved = client.isStarved();
                } catch (Throwable e) {
                    borrowed.spoil();
                    throw e;
                }
            } finally {
                client.told(false);
            }
        } catch (Throwable e) {
            LOG.log(e instanceof Error ? Level.WARNING : Level.DEBUG, "listening for " + name, e);
        }
        long pause = cameThrough ? RETRY_LEAST_NANOS : Math.min(RETRY_MOST_NANOS, before * 2);
        pause(starved ? STARVED_NANOS : pause);
        return pause;
    }

    private boolean awaitWanted() {
        while (client.isIdle()
                && !closed) { // In this order: a wake-up may be used up by a guard that the client takes.
            LockSupport.park(this);
            Thread.interrupted(); // By nobody but the operating system.
        }
        return !closed;
    }

    private void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            Thread.interrupted();
        }
    }

    /** Listens until the client has been idle for a while, or until messages do not come through; whether they ever did. */
    private boolean listen(Connection connection) throws SQLException {
        PGConnection listening = connection.unwrap(PGConnection.class);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN \"" + channel.get() + "\"");
        }
        boolean comesThrough = false;
        long probedAt = System.nanoTime();
        boolean probing = true;
        client.notifySelf(channel.get(), PROBE);
        long idleSince = System.nanoTime();
        while (!closed && !client.isStarved()) {
            PGNotification[] messages = listening.getNotifications(LISTEN_MILLIS);
            long now = System.nanoTime();
            for (PGNotification message : messages == null ? new PGNotification[0] : messages) {
                if (message.getParameter().equals(PROBE)) {
                    probing = false;
                    comesThrough = true;
                    client.told(true);
                } else {
                    deliver(message.getParameter());
                }
            }
            if (probing && now - probedAt > PROBE_NANOS) {
                LOG.log(
                        comesThrough || saidDeaf ? Level.DEBUG : Level.INFO,
                        "messages of PostgreSQL do not come through (is there a pooler in between?); waiters poll");
                saidDeaf |= !comesThrough;
                break;
            }
            if (!probing && now - probedAt > PROBE_EVERY_NANOS) {
                probing = true;
                probedAt = now;
                client.notifySelf(channel.get(), PROBE);
            }
            if (!client.isIdle()) {
                idleSince = now;
            } else if (now - idleSince > IDLE_NANOS) {
                break;
            }
        }
        client.told(false); // First: a connection on which nothing comes may not answer either.
        if (!closed) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("UNLISTEN \"" + channel.get() + "\"");
            }
        }
        return comesThrough;
    }

    private void deliver(String payload) {
        if (payload.startsWith("broken ")) {
            client.broken(payload.substring("broken ".length()));
        } else {
            client.granted();
        }
    }
}

package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import dev.leasehold.jdbc.protocol.LocalClients;
import dev.leasehold.jdbc.protocol.Protocol;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.StoreContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An SQLite worker does one client's work on the database: it runs operations, each in a transaction of its own, and looks
 * around. Belongs to the store's thread.
 *
 * <p>An operation is tried again while other connections are in the way, until it is given up. Until the commit is begun nothing
 * has happened; if the commit itself fails, it is not known whether it has, and the operation says so. It is not repeated here,
 * because the client knows better whether it still wants it. After that, and after every error that is not about the
 * moment, the connection is thrown away: a new one recovers whatever the file needs.
 *
 * <p>Within each transaction it is checked that the file is still the one at the path. Deleting or replacing a store file
 * takes the locks away from those who have it open; this cannot be prevented, but it is noticed at the next operation
 * and within a second where something is held, and then the client goes on with the new file like everybody else.
 */
final class SqliteWorker {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private static final long SHORTEST_PAUSE = 50_000;
    private static final long LONGEST_PAUSE = 4_000_000;

    private final StoreFile file;
    private final StoreContext context;
    private final ExpiryClock clock;
    private final LocalClients.LocalClient self;
    private final SqlitePoller poller;

    /** An open file is a connection, what can be seen through it, and the rules on it. */
    private record Open(SqliteConnection database, SqliteViews views, Protocol protocol) {}

    private @Nullable Open open;
    private volatile boolean locked;

    SqliteWorker(StoreFile file, StoreContext context, ExpiryClock clock, LocalClients.LocalClient self) {
        this.file = file;
        this.context = context;
        this.clock = clock;
        this.self = self;
        this.poller = new SqlitePoller(context, clock);
    }

    SqlitePoller poller() {
        return poller;
    }

    /** Returns whether another connection's lock is in the way. For any thread. */
    boolean isLocked() {
        return locked;
    }

    <T> void perform(StoreOperation<T> operation) {
        for (int attempt = 0; !operation.isOver(); attempt++) {
            try {
                if (attempt(operation)) {
                    return;
                }
            } catch (SQLException e) {
                if (SqliteFailures.isOutOfSpace(e) && open != null) {
                    open.database().makeRoom();
                }
                if (operation.isCommitting()) {
                    disconnect();
                    operation.fail(outcome -> SqliteFailures.uncertain(e, file));
                } else if (SqliteFailures.isBusy(e)) {
                    rollBack();
                    locked = true;
                    pause(attempt);
                } else {
                    disconnect();
                    operation.fail(outcome -> SqliteFailures.rolledBack(e, file, operation.lock()));
                }
            } catch (LockException e) {
                disconnect();
                operation.fail(outcome -> e);
            } catch (RuntimeException | Error e) {
                disconnect();
                operation.fail(outcome -> SqliteFailures.unexpected(e, file, operation.lock(), outcome));
            }
        }
    }

    /** Runs the operation, unless it has to be tried again on another file. */
    private <T> boolean attempt(StoreOperation<T> operation) throws SQLException {
        Open current = connected();
        SqliteConnection database = current.database();
        ClockReading sentAt = context.time().now();
        database.sql().run(operation.writes() ? "BEGIN IMMEDIATE" : "BEGIN");
        locked = false;
        TxContext transaction = clock.begin(sentAt);
        database.refuseOtherLayouts();
        if (database.isDisplaced()) {
            displaced();
            return false;
        }
        T answer = operation.work().in(current.protocol(), transaction);
        if (!operation.commits()) {
            rollBack();
            return true;
        }
        database.sql().run("COMMIT");
        LocalClients.tell(database.identity(), transaction.notifications());
        operation.note(answer);
        operation.succeed(answer);
        database.committed();
        return true;
    }

    /** Returns how long until there is something to look at. */
    long nanosToNextLook() {
        return open == null ? Long.MAX_VALUE : poller.nanosToNextLook();
    }

    void look(boolean nudged) {
        Open current = open;
        if (current == null) {
            return;
        }
        try {
            if (poller.looksAtHolds() && current.database().isDisplaced()) {
                displaced();
            } else {
                poller.look(current.database(), current.views(), nudged);
            }
        } catch (SQLException e) {
            if (!SqliteFailures.isBusy(e)) {
                disconnect();
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "looking at " + file, e);
            disconnect();
        }
    }

    void disconnect() {
        Open current = open;
        if (current != null) {
            open = null;
            LocalClients.leave(current.database().identity(), self);
            current.database().close();
        }
    }

    private void displaced() {
        disconnect();
        context.signals().doubt(null);
    }

    private Open connected() throws SQLException {
        Open current = open;
        if (current == null) {
            SqliteConnection database = SqliteConnection.open(file);
            SqliteViews views = new SqliteViews(database.sql(), context.namespace());
            current = new Open(database, views, views.protocol(context));
            open = current;
            LocalClients.join(database.identity(), self);
        }
        return current;
    }

    private void rollBack() {
        Open current = open;
        if (current != null) {
            try {
                current.database().rollBack();
            } catch (SQLException e) {
                disconnect();
            }
        }
    }

    private static void pause(int attempt) {
        long most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(attempt + 1, 10));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, most));
    }
}

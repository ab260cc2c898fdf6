package dev.leasehold.jdbc.server;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.connection.NoConnection;
import dev.leasehold.jdbc.connection.PassingErrors;
import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.StrangeRow;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** ServerFailures makes the failures that callers see when a database on a server does not do what it was asked to. */
public final class ServerFailures {

    /** More than these go round in a circle. */
    private static final int MOST_CAUSES = 100;

    private ServerFailures() {}

    /** Returns the failure for when there is no connection; that the user is not let in will not pass. */
    public static LockException unreachable(SQLException e, String store, Outcome outcome) {
        if (e instanceof NoConnection none) {
            return noConnection(none, store, outcome);
        }
        SQLException why = deepest(e);
        String state = String.valueOf(why.getSQLState());
        // PostgreSQL's driver, when it has no password to offer; with a number it is MariaDB's server, which is full.
        boolean rejected = state.equals("08004") && why.getErrorCode() == 0;
        // MariaDB's driver says 42000 and -1 where a pool's connection was closed meanwhile.
        boolean forbidden = state.startsWith("42") && why.getErrorCode() >= 0 && !PassingErrors.passes(why);
        if (rejected || forbidden || state.startsWith("28") || state.startsWith("3D")) {
            return refused(why, store);
        }
        return unavailable("the store " + store + " cannot be reached: " + reason(e), store, outcome, e);
    }

    /** Returns the failure for when a request that may have been carried out could not be repeated for the given reason. */
    static LockException inDoubt(LockException last, String store, Outcome outcome) {
        return outcome == Outcome.NOT_CARRIED_OUT || last instanceof StoreUnavailableException
                ? last
                : unavailable(
                        "the connection to the store " + store + " broke, and what was asked could not be asked again ("
                                + last.getMessage() + ")",
                        store,
                        outcome,
                        last);
    }

    /** Returns the failure for when a pool has had no connection to lend. */
    static LockException noConnection(NoConnection why, String store, Outcome outcome) {
        String known = outcome == Outcome.NOT_CARRIED_OUT
                ? "; the request was certainly not carried out"
                : "; the request may have been carried out";
        return new StoreUnavailableException(
                "the store " + store + " got no connection: " + why.getMessage() + known
                        + ". Make the pool larger than the number of connections that its other users keep, or give"
                        + " Leasehold a pool of its own; a thread that waits for a lock should not keep a connection of it"
                        + " (docs/sql.md)",
                store,
                outcome,
                why);
    }

    public static LockException broken(SQLException e, String store, Outcome outcome) {
        String what = Sql.COMPLETION_UNKNOWN.equals(e.getSQLState())
                ? "the store " + store + " does not know whether its answer lasts: "
                : "the connection to the store " + store + " broke: ";
        return unavailable(what + reason(e), store, outcome, e);
    }

    /** Returns the failure of a request that was undone for a reason that passes. */
    static LockException notNow(SQLException e, String store, Outcome outcome) {
        String why = PassingErrors.isReadOnly(e) ? " cannot be written now: " : " has refused for now: ";
        return unavailable("the store " + store + why + reason(e) + state(e), store, outcome, e);
    }

    /** MariaDB's and MySQL's numbers say more than their states, which are HY000 for most. */
    private static String state(SQLException e) {
        String number = e.getErrorCode() == 0 ? "" : ", error " + e.getErrorCode();
        return " (SQLSTATE " + e.getSQLState() + number + ")";
    }

    public static LockException refused(SQLException e, String store) {
        return refused(e, store, null);
    }

    /**
     * Returns the failure of a request that the database has refused.
     *
     * @param lock the lock that the request was about, or null
     */
    static LockException refused(SQLException e, String store, @Nullable String lock) {
        String state = String.valueOf(e.getSQLState());
        String remedy = state.equals("26000") || state.equals("42P05")
                ? ". There seems to be a pooler in between that lends sessions per transaction, and the driver has the"
                        + " server keep statements: set prepareThreshold=0 for its connections"
                : state.startsWith("28") || state.startsWith("08")
                        ? ". Check user, password and the rights in docs/sql.md; a password in a URL has to be encoded (% is %25,"
                                + " & is %26, + is %2B), or pass it apart, with --store-password-file or Map.of(\"password\", …)"
                        : state.startsWith("42")
                                ? ". Check the user's rights, and that the tables are those in docs/sql.md"
                                : "";
        return new LockException(
                "the store " + store + " refused" + (lock == null ? "" : " what was asked of '" + lock + "'") + ": "
                        + reason(e) + state(e) + "; nothing was changed" + remedy,
                e);
    }

    static LockException unexpected(Throwable e, String store, @Nullable String lock, Outcome outcome) {
        LockException strange = StrangeRow.failure(e, store, lock);
        if (strange != null) {
            return strange;
        }
        String at = lock == null ? "" : " at '" + lock + "'";
        return unavailable("the store " + store + " failed" + at + ": " + e, store, outcome, e);
    }

    static LockException timedOut(String store, String waited, Outcome outcome, @Nullable Throwable last) {
        return unavailable(
                "the store " + store + " did not answer within " + waited
                        + (last == null ? "" : " (" + last.getMessage() + ")"),
                store,
                outcome,
                last);
    }

    static LockException closed(String store) {
        return new LockException("the store " + store + " has been closed by this client; nothing was done");
    }

    static LockException closedMeanwhile(String store, Outcome outcome) {
        return unavailable("the store " + store + " was closed by this client", store, outcome, null);
    }

    private static SQLException deepest(SQLException e) {
        SQLException deepest = e;
        while (deepest.getCause() instanceof SQLException cause) {
            deepest = cause;
        }
        return deepest;
    }

    private static String reason(SQLException e) {
        SQLException why = deepest(e);
        String message =
                why.getMessage() == null ? why.toString() : why.getMessage().strip();
        Throwable root = why;
        for (int depth = 0; root.getCause() != null && depth < MOST_CAUSES; depth++) {
            root = root.getCause();
        }
        String cause = root.getMessage();
        return cause == null || message.contains(cause) ? message : message + " (" + cause + ")";
    }

    private static StoreUnavailableException unavailable(
            String why, String store, Outcome outcome, @Nullable Throwable cause) {
        String known = outcome == Outcome.NOT_CARRIED_OUT
                ? "; the request was certainly not carried out. Check that the database is running and reachable"
                : "; the request may have been carried out. Try again: what it has left runs out with its lease";
        return new StoreUnavailableException(why + known, store, outcome, cause);
    }
}

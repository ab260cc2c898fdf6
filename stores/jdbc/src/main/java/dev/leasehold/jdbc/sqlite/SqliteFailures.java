package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.StoreUnavailableException.Outcome;
import dev.leasehold.jdbc.protocol.StrangeRow;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** SqliteFailures turns SQLite's errors into ours. The numbers are SQLite's primary result codes. */
final class SqliteFailures {

    private static final int PERM = 3;
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int PROTOCOL = 15;
    private static final int SCHEMA = 17;
    private static final int NOTADB = 26;

    private SqliteFailures() {}

    /** Returns whether another connection is in the way, so that the same again may work at any moment. */
    static boolean isBusy(SQLException e) {
        int code = code(e);
        return code == BUSY || code == LOCKED || code == PROTOCOL || code == SCHEMA;
    }

    /** Returns whether there may be no space for the log to grow: a full disk, a quota, a limit of the process. */
    static boolean isOutOfSpace(SQLException e) {
        return code(e) == FULL || code(e) == IOERR;
    }

    /**
     * Returns what to tell of a transaction that was not committed.
     *
     * @param lock the lock that it was about, or null
     */
    static LockException rolledBack(SQLException e, StoreFile file, @Nullable String lock) {
        return switch (code(e)) {
            case PERM, READONLY, CANTOPEN ->
                new LockException(
                        "the store " + file + " cannot be written: " + e.getMessage()
                                + "; nothing was changed. Check that this"
                                + " user may write the file and its directory, and that the disk is not mounted read-only",
                        e);
            case NOTADB ->
                new LockException(
                        "the file of the store " + file
                                + " is not a SQLite database; it was not changed, and nothing was"
                                + " locked. Name another file",
                        e);
            case CORRUPT ->
                new LockException(
                        "the file of the store " + file + " is damaged: " + e.getMessage()
                                + "; nothing was locked. Stop all"
                                + " processes that use it, move it away with its -wal and -shm, and start again",
                        e);
            case FULL -> unavailable("the disk of the store " + file + " is full", file, Outcome.NOT_CARRIED_OUT, e);
            case IOERR ->
                unavailable(
                        "the store " + file + " cannot be read or written: " + e.getMessage(),
                        file,
                        Outcome.NOT_CARRIED_OUT,
                        e);
            default ->
                new LockException(
                        "the store " + file + " failed" + at(lock) + ": " + e.getMessage() + "; nothing was changed",
                        e);
        };
    }

    /** Returns what to tell when the commit itself has failed. */
    static LockException uncertain(SQLException e, StoreFile file) {
        return unavailable("the store " + file + " failed to commit: " + e.getMessage(), file, Outcome.UNKNOWN, e);
    }

    /** Returns what to tell of a mistake of ours or of the driver's. */
    static LockException unexpected(Throwable e, StoreFile file, @Nullable String lock, Outcome outcome) {
        LockException strange = StrangeRow.failure(e, file.toString(), lock);
        return strange != null
                ? strange
                : unavailable("the store " + file + " failed" + at(lock) + ": " + e, file, outcome, e);
    }

    private static String at(@Nullable String lock) {
        return lock == null ? "" : " at '" + lock + "'";
    }

    static LockException timedOut(StoreFile file, String waited, Outcome outcome, boolean locked) {
        String why = locked
                ? "another process keeps the store " + file + " locked for more than " + waited
                : "the store " + file + " did not answer within " + waited;
        return unavailable(why, file, outcome, null);
    }

    static LockException closed(StoreFile file) {
        return new LockException("the store " + file + " has been closed by this client; nothing was done");
    }

    static LockException closedMeanwhile(StoreFile file, Outcome outcome) {
        return unavailable("the store " + file + " was closed by this client", file, outcome, null);
    }

    private static StoreUnavailableException unavailable(
            String why, StoreFile file, Outcome outcome, @Nullable Throwable cause) {
        String known = outcome == Outcome.NOT_CARRIED_OUT
                ? "; the request was certainly not carried out. Try again"
                : "; the request may have been carried out. Try again: what it has left runs out with its lease";
        return new StoreUnavailableException(why + known, file.toString(), outcome, cause);
    }

    private static int code(SQLException e) {
        return e.getErrorCode() & 0xff;
    }
}

package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A server operation is one operation of a store on a server.
 *
 * @param operation what it does in a transaction, and whom to answer
 * @param lock the lock that it is about, or null for all: operations of one lock are done in their order
 * @param first what to try in a single statement before, or null
 * @param waiting what to try next, without locking the lock's row; or null
 * @param claim the claim that asks for the lock, or has had it; null where the two rules below do not apply
 * @param ifTaken the answer where another claim has the lock to itself, or null if that is for a transaction to say
 * @param makesRow whether it needs the lock's row, and makes it if it is not there
 * @param repeatable whether doing it again after an unknown outcome answers as if it had been done once
 */
record ServerOperation<T>(
        StoreOperation<T> operation,
        @Nullable String lock,
        @Nullable First<T> first,
        @Nullable Waiting<T> waiting,
        @Nullable ClaimId claim,
        @Nullable T ifTaken,
        boolean makesRow,
        boolean repeatable) {

    /**
     * A first statement is a single one. Its result is null if that was not enough, and then it has changed nothing.
     */
    @FunctionalInterface
    interface First<T> {
        @Nullable T on(SingleStatementPath path, Sql sql, ClockReading sentAt) throws SQLException;
    }

    /** A waiting form of an operation runs while others have the lock. Its result is null if that was not enough. */
    @FunctionalInterface
    interface Waiting<T> {
        @Nullable T on(WaitingPath path) throws SQLException;
    }

    /** Makes an operation that needs a transaction. */
    ServerOperation(StoreOperation<T> operation, @Nullable String lock, boolean repeatable) {
        this(operation, lock, null, null, null, null, false, repeatable);
    }

    /** Returns the same operation for when the single statement was not enough. */
    ServerOperation<T> afterFirst() {
        return new ServerOperation<>(operation, lock, null, waiting, claim, ifTaken, makesRow, repeatable);
    }

    /** Returns the same operation, that reads in transactions only. */
    ServerOperation<T> withoutWaiting() {
        return new ServerOperation<>(operation, lock, first, null, claim, ifTaken, makesRow, repeatable);
    }

    /** Returns whether a row that a transaction has locked says that the claim can only wait, which needs no transaction. */
    boolean canOnlyWait(ServerLocks.Locked locked) {
        return waiting != null && ifTaken == null && isTaken(locked);
    }

    /** Returns the answer by a row that a transaction has locked, if that is enough; else null. */
    @Nullable T answerBy(ServerLocks.Locked locked) {
        return ifTaken != null && isTaken(locked) ? ifTaken : null;
    }

    private boolean isTaken(ServerLocks.Locked locked) {
        return claim != null
                && !locked.row().isShared()
                && locked.row().stored().ends() > locked.micros()
                && !claim.equals(locked.row().stored().claim());
    }
}

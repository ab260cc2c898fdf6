package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.Sql;
import dev.leasehold.jdbc.protocol.StoreOperation;
import dev.leasehold.spi.ClockReading;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a store on a server.
 *
 * @param job what it does in a transaction, and whom to answer
 * @param lock the lock that it is about, or null for all: jobs of one lock are done in their order
 * @param first what to try in a single statement before, or null
 * @param makesRow whether it needs the lock's row, and makes it if it is not there
 * @param repeatable whether doing it again after an unknown outcome answers as if it had been done once
 */
record ServerOperation<T>(
        StoreOperation<T> job,
        @Nullable String lock,
        @Nullable First<T> first,
        boolean makesRow,
        boolean repeatable) {

    /** A single statement; null if that was not enough, and then it has changed nothing. */
    @FunctionalInterface
    interface First<T> {
        @Nullable T on(SingleStatementPath quick, Sql sql, ClockReading sentAt) throws SQLException;
    }

    /** The same, when the single statement was not enough. */
    ServerOperation<T> afterFirst() {
        return new ServerOperation<>(job, lock, null, makesRow, repeatable);
    }
}

package dev.leasehold.jdbc.protocol;

import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Waiter rows are the queues, as one transaction sees and changes them. */
public interface WaiterRows {

    /** A waiter is a claim in a queue, as of its last word, with the share that it had first. */
    record Waiter(long position, ClaimId claim, String owner, Duration lease, int spare, int share) {}

    /** Removes the dead. */
    void removeExpired(LockRow row, TxContext now) throws SQLException;

    @Nullable Waiter find(LockRow row, ClaimId claim) throws SQLException;

    @Nullable Waiter first(LockRow row) throws SQLException;

    /** Appends a claim, and tells its place. */
    int add(LockRow row, Claim claim, String owner, TxContext now) throws SQLException;

    /** Notes a further word of a waiter, and tells its place. */
    int hear(LockRow row, Waiter waiter, Claim claim, TxContext now) throws SQLException;

    void remove(LockRow row, Waiter waiter) throws SQLException;

    /** Lists the living, first come first. Writes nothing. */
    List<WaiterInfo> list(LockRow row, TxContext now) throws SQLException;
}

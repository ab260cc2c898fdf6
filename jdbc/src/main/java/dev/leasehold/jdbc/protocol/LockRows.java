package dev.leasehold.jdbc.protocol;

import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.spi.ClaimId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The locks of one namespace, as one transaction sees and changes them. */
public interface LockRows {

    /** Finds a lock; until the transaction ends, nobody else can change it. */
    @Nullable LockRow find(String name, TxContext now) throws SQLException;

    LockRow insert(String name, TxContext now) throws SQLException;

    /**
     * What is held, kept or waited for. Writes nothing.
     *
     * @param only the only lock that is asked for, which is then looked up by its key; null for all
     */
    List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException;

    /** Gives the lock to a claim, with tokens that are greater than all before. */
    StoredLease grant(
            LockRow row, ClaimId claim, String owner, Duration lease, int spare, boolean handed, TxContext now)
            throws SQLException;

    /**
     * Moves the end to at least {@code now + duration}, and counts as the holder's confirmation. Null where the lock turns
     * out not to be there for the holder, though its row says so.
     */
    @Nullable StoredLease extend(LockRow row, StoredLease tenure, Duration duration, TxContext now) throws SQLException;

    /** Whether a lock can be given to a claim that finds it free. Where the row alone decides, it can. */
    default boolean isAvailable(LockRow row, ClaimId claim) throws SQLException {
        return true;
    }

    /** Whether a lock is free only because its holder is gone, and was not handed over by anybody. */
    default boolean isAbandoned(LockRow row) {
        return false;
    }

    /** Ends what the holder of a lock has beside the row, which is about to be changed by somebody else. */
    default void evict(LockRow row) throws SQLException {}

    /** Takes the lock from its holder and keeps it for nobody; zero frees it. */
    void keep(LockRow row, Duration duration, TxContext now) throws SQLException;
}

package dev.leasehold.jdbc.protocol;

import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.spi.ClaimId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lock rows are the locks of one namespace, as one transaction sees and changes them. */
public interface LockRows {

    /**
     * A grantee is a claim that a lock is given to.
     *
     * @param handed whether it has not asked just now, so that it has yet to confirm
     */
    record Grantee(ClaimId claim, String owner, Duration lease, int spare, int share, int slot, boolean handed) {

        /** Returns the lease that it gets, with tokens that are greater than all before. */
        public StoredLease leaseOf(LockRow row, long ends, TxContext now) {
            long token = Math.max(row.last() + 1, now.wallMicros());
            return new StoredLease(claim, owner, token, token + spare, share, slot, now.wallMicros(), ends);
        }
    }

    /** Finds a lock; until the transaction ends, nobody else can change it. */
    @Nullable LockRow find(String name, TxContext now) throws SQLException;

    LockRow insert(String name, TxContext now) throws SQLException;

    /**
     * Returns what is held, kept or waited for. Writes nothing.
     *
     * @param only the only lock that is asked for, which is then looked up by its key; null for all
     */
    List<LockRow> busy(TxContext now, @Nullable String only) throws SQLException;

    /** Gives the lock to a claim, beside those that have it. */
    StoredLease grant(LockRow row, Grantee grantee, TxContext now) throws SQLException;

    /**
     * Moves a holder's end to at least {@code now + duration}, and counts as its confirmation. Null where the lock turns
     * out not to be there for the holder, though its row says so.
     */
    @Nullable StoredLease extend(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException;

    /** Lets others have the lock beside its exclusive holder, who is a reader from then on. */
    void share(LockRow row, StoredLease reader, TxContext now) throws SQLException;

    /** Returns whether a lock can be given to a claim that finds it free. Where the row alone decides, it can. */
    default boolean isAvailable(LockRow row, ClaimId claim) throws SQLException {
        return true;
    }

    /** Returns whether a lock is free only because its holder is gone, and was not handed over by anybody. */
    default boolean isAbandoned(LockRow row) {
        return false;
    }

    /** Ends what a holder of a lock has beside the row, which is about to be changed by somebody else. */
    default void evict(LockRow row, StoredLease held) throws SQLException {}

    /** Takes the lock from one holder and keeps its share of it for nobody. */
    void keep(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException;

    /**
     * Takes the lock from one of those who share it. An exclusive holder's row is left as it is: a grant, or {@link #free},
     * follows.
     */
    void remove(LockRow row, StoredLease held) throws SQLException;

    /** Writes down that nobody has the lock. */
    void free(LockRow row, TxContext now) throws SQLException;
}

package dev.leasehold.jdbc.protocol;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock row is a row of {@code leasehold_lock} as one moment sees it, with the holders of the lock.
 *
 * <p>An exclusive holder stands in the row itself. Holders that share the lock are rows of {@code leasehold_holder};
 * the lock's row then carries the claim {@link #SEVERAL}, the greatest token, and an end that no holder's is later
 * than. So a client that reads only the lock's row sees it as taken while anybody holds it.
 *
 * @param last the greatest token that any run has reserved
 * @param holders who has the lock at that moment
 * @param shared whether the holders stand in {@code leasehold_holder}
 * @param waited whether anybody waits, dead or alive
 * @param foreign whether anything of it was written on the clock of another boot
 */
public record LockRow(
        long id, String name, long last, Holders holders, boolean shared, boolean waited, boolean foreign) {

    /** A lock's row carries this claim while holders share the lock. Nobody owns it: no client has this id. */
    public static final ClaimId SEVERAL = new ClaimId("*", 1);

    /**
     * A stored lease is one holder of a lock: a claim until it is released or runs out; nobody, where a lease is kept after
     * its release.
     *
     * @param share with how many holders at most, itself included, it coexists
     * @param slot the slot of a permit; {@link Grant#NO_SLOT} for all others
     * @param ends when that is over, on the clock of this boot
     */
    public record StoredLease(
            @Nullable ClaimId claim,
            String owner,
            long token,
            long runEnd,
            int share,
            int slot,
            long since,
            long ends) {

        /**
         * {@code ends} has this value while a session holds the lock, which only the session's end ends: no clock gets
         * there.
         */
        public static final long OPEN = (1L << 53) - 1;

        /** Makes an exclusive one. */
        public StoredLease(@Nullable ClaimId claim, String owner, long token, long runEnd, long since, long ends) {
            this(claim, owner, token, runEnd, Claim.EXCLUSIVE, Grant.NO_SLOT, since, ends);
        }

        public boolean isOpenEnded() {
            return ends == OPEN;
        }

        public boolean isExclusive() {
            return share == Claim.EXCLUSIVE;
        }

        boolean belongsTo(ClaimId candidate) {
            return candidate.equals(claim);
        }

        public boolean isLease(LeaseId lease) {
            return belongsTo(lease.claim()) && token == lease.token();
        }

        boolean runContains(long candidate) {
            return candidate >= token && candidate <= runEnd;
        }

        public StoredLease ending(long end) {
            return new StoredLease(claim, owner, token, runEnd, share, slot, since, end);
        }

        /** Returns what is kept of the lease when it has been released. */
        public StoredLease kept(long end) {
            return new StoredLease(null, "", token, runEnd, share, slot, since, end);
        }

        /** Returns the same lease, of a reader. */
        StoredLease shared() {
            return new StoredLease(claim, owner, token, runEnd, Claim.UNLIMITED, Grant.NO_SLOT, since, ends);
        }

        public int spare() {
            return Math.toIntExact(runEnd - token);
        }
    }

    /** Makes the row of a lock that has been added just now. */
    public static LockRow added(long id, String name) {
        return new LockRow(id, name, 0, Holders.NONE, false, false, false);
    }

    /** Returns the row as it is when this holder alone holds the lock, or nobody if it is null. */
    public LockRow heldBy(@Nullable StoredLease holder) {
        Holders one = holder == null ? Holders.NONE : new Holders(List.of(holder));
        return new LockRow(id, name, last, one, shared, waited, foreign);
    }

    LockRow with(StoredLease granted) {
        return new LockRow(id, name, granted.runEnd(), holders.with(granted), !granted.isExclusive(), waited, foreign);
    }

    LockRow without(StoredLease holder) {
        return new LockRow(id, name, last, holders.without(holder), shared, waited, foreign);
    }

    LockRow with(Holders others) {
        return new LockRow(id, name, last, others, true, waited, foreign);
    }

    LockRow waited(boolean any) {
        return new LockRow(id, name, last, holders, shared, any, foreign);
    }
}

package dev.leasehold.jdbc.protocol;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code leasehold_lock} as one moment sees it.
 *
 * @param last the greatest token that any run has reserved
 * @param tenure who has the lock at that moment, or null where it is free
 * @param waited whether anybody waits, dead or alive
 * @param foreign whether the row was taken on the clock of another boot
 */
public record LockRow(
        long id, String name, long last, @Nullable StoredLease tenure, boolean waited, boolean foreign) {

    /**
     * The holder of a lock: a claim until it is released or runs out; nobody, where a released lock is kept.
     *
     * @param ends when that is over, on the clock of this boot
     */
    public record StoredLease(@Nullable ClaimId claim, String owner, long token, long runEnd, long since, long ends) {

        /** What {@code ends} is while a session holds the lock: only the session's end ends it. No clock gets there. */
        public static final long OPEN = (1L << 53) - 1;

        public boolean isOpenEnded() {
            return ends == OPEN;
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
            return new StoredLease(claim, owner, token, runEnd, since, end);
        }
    }
}

package dev.leasehold.jdbc.protocol;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockInfo;
import dev.leasehold.WaiterInfo;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.WaiterRows.Waiter;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.NamePattern;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.WaitingRules;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the stores in databases, as plain reads and writes.
 *
 * <p>Each method runs inside one transaction in which nobody else can change the lock that it is about, or its queue, and
 * the time in its {@link TxContext} was read by that transaction. SQLite admits one writer at a time; on a server the
 * transaction has first changed the lock's own row ({@code Transaction} says why that is enough). So nothing here can be
 * interleaved with anything, and a method may be read as if the world stood still. What a process that is killed leaves
 * behind is what the last committed transaction left: there are no steps in between.
 *
 * <p>Every method first looks at the lock through {@link #settled}, which drops what is over: a lease that has run out,
 * waiters that are dead. What is over is therefore never brought back. Whatever frees a lock goes through {@link
 * #handOver}, which looks at the queue before it looks at the asker. So nobody overtakes.
 */
public final class Protocol {

    /** Is told of a lock that was not there before. */
    @FunctionalInterface
    public interface NewLock {
        void added(LockRow row, TxContext now) throws SQLException;
    }

    private final LockRows locks;
    private final WaiterRows waiters;
    private final NewLock newLock;
    private final String owner;

    public Protocol(LockRows locks, WaiterRows waiters, NewLock newLock, String owner) {
        this.locks = locks;
        this.waiters = waiters;
        this.newLock = newLock;
        this.owner = owner;
    }

    public ClaimAnswer claim(Claim claim, TxContext now) throws SQLException {
        LockRow row = settled(claim.lock(), now);
        if (row == null) {
            row = locks.insert(claim.lock(), now);
            newLock.added(row, now);
        }
        StoredLease tenure = row.tenure();
        if (tenure == null) {
            tenure = locks.isAvailable(row, claim.id()) ? handOver(row, claim, now) : null;
        } else if (tenure.belongsTo(claim.id())) {
            tenure = locks.extend(row, tenure, claim.lease(), now);
        }
        if (tenure != null && tenure.belongsTo(claim.id())) {
            LeaseId lease = new LeaseId(row.name(), claim.id(), tenure.token());
            return new ClaimAnswer.Granted(
                    lease, Math.toIntExact(tenure.runEnd() - tenure.token()), now.validity(tenure.ends()));
        }
        HolderInfo holder = holder(tenure, now);
        return new ClaimAnswer.Busy(holder, holder == null ? null : holder.timeLeft(), queue(row, claim, now));
    }

    public RenewAnswer renew(LeaseId lease, Duration duration, TxContext now) throws SQLException {
        LockRow row = settled(lease.lock(), now);
        StoredLease tenure = row == null ? null : row.tenure();
        if (row == null || tenure == null || !tenure.isLease(lease)) {
            return new RenewAnswer.Lost();
        }
        StoredLease extended = locks.extend(row, tenure, duration, now);
        return extended == null
                ? new RenewAnswer.Lost()
                : new RenewAnswer.Renewed(now.validity(extended.ends()), row.waited());
    }

    public ReleaseAnswer release(LeaseId lease, Duration keepFor, TxContext now) throws SQLException {
        LockRow row = settled(lease.lock(), now);
        if (row == null || row.tenure() == null || !row.tenure().isLease(lease)) {
            return ReleaseAnswer.NOT_HELD;
        }
        if (TxContext.micros(keepFor) > 0) {
            locks.keep(row, keepFor, now);
        } else {
            handOver(row, null, now);
        }
        return ReleaseAnswer.RELEASED;
    }

    /** Tells whether anything was left of the claim. */
    public boolean withdraw(String lock, ClaimId claim, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        if (row == null) {
            return false;
        }
        Waiter waiter = row.waited() ? waiters.find(row, claim) : null;
        if (waiter != null) {
            waiters.remove(row, waiter);
        }
        boolean held = row.tenure() != null && row.tenure().belongsTo(claim);
        if (held) {
            handOver(row, null, now);
        }
        return held || waiter != null;
    }

    /** Only tidies up; whether there is such a lock. */
    public boolean tidy(String lock, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        if (row != null && row.tenure() == null && locks.isAbandoned(row)) {
            handOver(row, null, now);
        }
        return row != null;
    }

    public boolean breakLease(String lock, long token, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        StoredLease tenure = row == null ? null : row.tenure();
        if (row == null || tenure == null || !tenure.runContains(token)) {
            return false;
        }
        if (tenure.claim() != null) {
            now.broken(tenure.claim(), lock);
        }
        locks.evict(row);
        handOver(row, null, now);
        return true;
    }

    /** Only reads. */
    public List<LockInfo> inspect(NamePattern pattern, TxContext now) throws SQLException {
        List<LockInfo> found = new ArrayList<>();
        for (LockRow row : locks.busy(now, pattern.onlyName())) {
            if (!pattern.matches(row.name())) {
                continue;
            }
            List<WaiterInfo> queue = row.waited() ? waiters.list(row, now) : List.of();
            if (row.tenure() != null || !queue.isEmpty()) {
                found.add(new LockInfo(row.name(), holder(row.tenure(), now), queue));
            }
        }
        found.sort(Comparator.comparing(LockInfo::name));
        return found;
    }

    private @Nullable LockRow settled(String name, TxContext now) throws SQLException {
        LockRow row = locks.find(name, now);
        if (row != null && row.waited()) {
            waiters.removeExpired(row, now);
        }
        return row;
    }

    /**
     * Gives a lock to the first in the queue, else to the asker, else frees it. Who has not asked just now has a claim
     * period to confirm, and is told.
     */
    private @Nullable StoredLease handOver(LockRow row, @Nullable Claim asker, TxContext now) throws SQLException {
        Waiter first = row.waited() ? waiters.first(row) : null;
        if (first != null) {
            waiters.remove(row, first);
        }
        if (asker != null && (first == null || first.claim().equals(asker.id()))) {
            return locks.grant(row, asker.id(), owner, asker.lease(), asker.spare(), false, now);
        }
        if (first == null) {
            locks.keep(row, Duration.ZERO, now);
            return null;
        }
        now.granted(first.claim());
        Duration period = WaitingRules.claimPeriod(first.lease());
        return locks.grant(row, first.claim(), first.owner(), period, first.spare(), true, now);
    }

    /** Keeps the claim's place in the queue, or gives it one if it wants one. */
    private int queue(LockRow row, Claim claim, TxContext now) throws SQLException {
        Waiter known = row.waited() ? waiters.find(row, claim.id()) : null;
        if (known != null) {
            return waiters.hear(row, known, claim, now);
        }
        return claim.enqueue() ? waiters.add(row, claim, owner, now) : 0;
    }

    private static @Nullable HolderInfo holder(@Nullable StoredLease tenure, TxContext now) {
        if (tenure == null) {
            return null;
        }
        boolean open = tenure.isOpenEnded();
        return new HolderInfo(
                tenure.owner(),
                tenure.token(),
                TxContext.instant(tenure.since()),
                open ? null : now.wallAt(tenure.ends()),
                open ? null : now.until(tenure.ends()));
    }
}

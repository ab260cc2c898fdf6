package dev.leasehold.jdbc.protocol;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.jdbc.protocol.LockRows.Grantee;
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
 * The protocol has the rules of the stores in databases, as plain reads and writes.
 *
 * <p>Each method runs inside one transaction in which nobody else can change the lock that it is about, or its queue, and
 * the time in its {@link TxContext} was read by that transaction. SQLite admits one writer at a time; on a server the
 * transaction has first changed the lock's own row ({@code Transaction} says why that is enough). So nothing here can be
 * interleaved with anything, and a method may be read as if the world stood still. A process that is killed leaves behind
 * what its last committed transaction left: there are no steps in between.
 *
 * <p>Every method first looks at the lock through {@link #settled}, which drops what is over: a lease that has run out,
 * waiters that are dead. So nothing that is over is brought back. Every operation that makes room goes through {@link
 * #handOver}, which looks at the queue before it looks at the asker, and stops at the first waiter that does not fit. So
 * nobody overtakes.
 */
public final class Protocol {

    /** A listener for new locks hears of each lock that was not there before. */
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
        StoredLease held = row.holders().of(claim.id());
        if (isOpen(row, claim.id())) {
            HandedOver after = handOver(row, held == null ? claim : null, now);
            row = after.row();
            if (after.toAsker() != null) {
                return granted(row, claim, after.toAsker(), now);
            }
        }
        if (held == null) {
            return busy(row, claim, now);
        }
        StoredLease extended = locks.extend(row, held, claim.lease(), now);
        return extended == null
                ? new ClaimAnswer.Busy(null, null, queue(row, claim, find(row, claim.id()), now))
                : granted(row, claim, extended, now);
    }

    /** Returns whether anybody might be let in. */
    private boolean isOpen(LockRow row, ClaimId claim) throws SQLException {
        return row.holders().isEmpty()
                ? locks.isAvailable(row, claim)
                : !row.holders().isExclusive();
    }

    private static ClaimAnswer granted(LockRow row, Claim claim, StoredLease held, TxContext now) {
        LeaseId lease = new LeaseId(row.name(), claim.id(), held.token());
        return new ClaimAnswer.Granted(lease, held.spare(), held.slot(), now.validity(held.ends()));
    }

    private ClaimAnswer busy(LockRow row, Claim claim, TxContext now) throws SQLException {
        Waiter known = find(row, claim.id());
        int place = queue(row, claim, known, now);
        return BusyAnswer.of(row.holders(), known == null ? claim.share() : known.share(), place, now);
    }

    public RenewAnswer renew(LeaseId lease, Duration duration, TxContext now) throws SQLException {
        LockRow row = settled(lease.lock(), now);
        StoredLease held = row == null ? null : row.holders().of(lease);
        return row == null || held == null ? new RenewAnswer.Lost() : extend(row, held, duration, now);
    }

    public RenewAnswer downgrade(LeaseId lease, Duration duration, TxContext now) throws SQLException {
        LockRow row = settled(lease.lock(), now);
        StoredLease held = row == null ? null : row.holders().of(lease);
        if (row == null || held == null) {
            return new RenewAnswer.Lost();
        }
        LockRow after = row;
        StoredLease reader = held;
        if (held.isExclusive()) {
            reader = held.shared();
            locks.share(row, reader, now);
            after = row.with(row.holders().with(held, reader));
        }
        RenewAnswer answer = extend(after, reader, duration, now);
        handOver(after, null, now);
        return answer;
    }

    private RenewAnswer extend(LockRow row, StoredLease held, Duration duration, TxContext now) throws SQLException {
        StoredLease extended = locks.extend(row, held, duration, now);
        return extended == null
                ? new RenewAnswer.Lost()
                : new RenewAnswer.Renewed(now.validity(extended.ends()), row.waited());
    }

    public ReleaseAnswer release(LeaseId lease, Duration keepFor, TxContext now) throws SQLException {
        LockRow row = settled(lease.lock(), now);
        StoredLease held = row == null ? null : row.holders().of(lease);
        if (row == null || held == null) {
            return ReleaseAnswer.NOT_HELD;
        }
        if (TxContext.micros(keepFor) > 0) {
            locks.keep(row, held, keepFor, now);
            handOver(row, null, now);
        } else {
            leave(row, held, now);
        }
        return ReleaseAnswer.RELEASED;
    }

    /** Tells whether anything was left of the claim. Hands over also where the waiter is gone already. */
    public boolean withdraw(String lock, ClaimId claim, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        if (row == null) {
            return false;
        }
        Waiter waiter = find(row, claim);
        if (waiter != null) {
            waiters.remove(row, waiter);
        }
        StoredLease held = row.holders().of(claim);
        if (held != null) {
            leave(row, held, now);
        } else if (isOpen(row, claim)) {
            handOver(row, null, now);
        }
        return held != null || waiter != null;
    }

    /** Only tidies up, and returns whether there is such a lock. */
    public boolean tidy(String lock, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        if (row != null && row.waited()) {
            waiters.first(row);
        }
        if (row != null && row.holders().isEmpty() && (row.shared() || locks.isAbandoned(row))) {
            handOverOrFree(row, now);
        }
        return row != null;
    }

    public boolean breakLease(String lock, long token, TxContext now) throws SQLException {
        LockRow row = settled(lock, now);
        StoredLease held = row == null ? null : row.holders().withToken(token);
        if (row == null || held == null) {
            return false;
        }
        if (held.claim() != null) {
            now.broken(held.claim(), lock);
        }
        locks.evict(row, held);
        leave(row, held, now);
        return true;
    }

    /** Lists the locks that a pattern means, and writes nothing. */
    public List<LockInfo> inspect(NamePattern pattern, TxContext now) throws SQLException {
        List<LockInfo> found = new ArrayList<>();
        for (LockRow row : locks.busy(now, pattern.onlyName())) {
            if (!pattern.matches(row.name())) {
                continue;
            }
            List<WaiterInfo> queue = row.waited() ? StrangeRow.in(row.name(), () -> waiters.list(row, now)) : List.of();
            if (!row.holders().isEmpty() || !queue.isEmpty()) {
                found.add(StrangeRow.in(row.name(), () -> info(row, queue, now)));
            }
        }
        found.sort(Comparator.comparing(LockInfo::name));
        return found;
    }

    private static LockInfo info(LockRow row, List<WaiterInfo> queue, TxContext now) {
        List<HolderInfo> holders = row.holders().all().stream()
                .map(each -> BusyAnswer.holder(each, now))
                .toList();
        return new LockInfo(row.name(), holders, queue, List.of());
    }

    private @Nullable LockRow settled(String name, TxContext now) throws SQLException {
        LockRow row = locks.find(name, now);
        if (row != null && row.waited()) {
            waiters.removeExpired(row, now);
        }
        return row;
    }

    private void leave(LockRow row, StoredLease held, TxContext now) throws SQLException {
        locks.remove(row, held);
        handOverOrFree(row.without(held), now);
    }

    private void handOverOrFree(LockRow row, TxContext now) throws SQLException {
        LockRow after = handOver(row, null, now).row();
        if (after.holders().isEmpty()) {
            locks.free(after, now);
        }
    }

    /** The result of a hand-over is the lock after it, with what the asker has got. */
    private record HandedOver(LockRow row, @Nullable StoredLease toAsker) {}

    /**
     * Lets waiters in, the first in the queue first, until one does not fit; then the asker, if nobody waits any more. A
     * waiter that has not asked just now has a claim period to confirm, and a notification is sent to it.
     */
    private HandedOver handOver(LockRow before, @Nullable Claim asker, TxContext now) throws SQLException {
        LockRow row = before;
        StoredLease toAsker = null;
        while (row.waited()) {
            // An exclusive holder lets nobody in: there is no need to look who is the first.
            Waiter first = row.holders().isExclusive() ? null : waiters.first(row);
            if (first == null) {
                row = row.waited(row.holders().isExclusive());
                break;
            }
            if (!row.holders().admit(first.share())) {
                return new HandedOver(row, toAsker);
            }
            waiters.remove(row, first);
            Claim asks = asker != null && asker.id().equals(first.claim()) ? asker : null;
            StoredLease granted =
                    locks.grant(row, asks != null ? asking(row, asks, first.share()) : handed(row, first), now);
            row = row.with(granted);
            if (asks != null) {
                toAsker = granted;
            } else {
                now.granted(first.claim());
            }
        }
        if (asker != null && toAsker == null && row.holders().admit(asker.share())) {
            toAsker = locks.grant(row, asking(row, asker, asker.share()), now);
            row = row.with(toAsker);
        }
        return new HandedOver(row, toAsker);
    }

    private Grantee asking(LockRow row, Claim claim, int share) {
        int slot = row.holders().freeSlot(share);
        int spare = share == Claim.EXCLUSIVE ? claim.spare() : 0;
        return new Grantee(claim.id(), owner, claim.lease(), spare, share, slot, false);
    }

    private static Grantee handed(LockRow row, Waiter waiter) {
        int slot = row.holders().freeSlot(waiter.share());
        Duration period = WaitingRules.claimPeriod(waiter.lease());
        int spare = waiter.share() == Claim.EXCLUSIVE ? waiter.spare() : 0;
        return new Grantee(waiter.claim(), waiter.owner(), period, spare, waiter.share(), slot, true);
    }

    private @Nullable Waiter find(LockRow row, ClaimId claim) throws SQLException {
        return row.waited() ? waiters.find(row, claim) : null;
    }

    /** Keeps the claim's place in the queue, or gives it one if it wants one. */
    private int queue(LockRow row, Claim claim, @Nullable Waiter known, TxContext now) throws SQLException {
        if (known != null) {
            return waiters.hear(row, known, claim, now);
        }
        return claim.enqueue() ? waiters.add(row, claim, owner, now) : 0;
    }
}

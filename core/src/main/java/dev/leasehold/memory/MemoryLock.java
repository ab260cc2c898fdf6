package dev.leasehold.memory;

import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A memory lock is one lock with its holders and its queue. It is pure: the time goes in; the answer and the notifications
 * come out. Not thread-safe.
 *
 * <p>Whenever something has changed, {@link #handOver} alone decides who comes in. It never looks at the asker before it has
 * looked at the queue, and stops at the first waiter that does not fit, so nobody overtakes. Time passes only in {@link
 * #settle}, which each operation calls first: leases that are over and waiters that are dead are gone before anything else
 * is looked at, so no operation can bring them back.
 */
final class MemoryLock {

    /** A waiter is a claim in the queue, as it was sent last, with the share that it had first. */
    private record Waiter(Claim claim, String owner, long sinceMicros, long aliveUntil) {}

    private final String name;
    private final Map<ClaimId, Waiter> queue = new LinkedHashMap<>();
    private final Holders holders = new Holders();
    private long last;

    MemoryLock(String name, long last) {
        this.name = name;
        this.last = last;
    }

    ClaimAnswer claim(Claim claim, String owner, ClockReading now, Notifications out) {
        settle(now);
        Waiter known = queue.get(claim.id());
        int share = known == null ? claim.share() : known.claim().share();
        if (known != null) {
            queue.put(claim.id(), waiter(withShare(claim, share), owner, known.sinceMicros(), now));
        }
        Holder granted = handOver(claim, owner, now, out);
        Holder held = granted != null ? granted : repeated(claim, now);
        if (held != null) {
            LeaseId lease = new LeaseId(name, claim.id(), held.token());
            return new ClaimAnswer.Granted(lease, held.spare(), held.slot(), held.validity(now));
        }
        if (claim.enqueue() && known == null) {
            queue.put(claim.id(), waiter(claim, owner, now.wallMicros(), now));
        }
        return busy(claim.id(), share, now);
    }

    /** Returns the holder that an earlier arrival of a claim was granted, if there is one; it lasts for one more lease. */
    private @Nullable Holder repeated(Claim claim, ClockReading now) {
        Holder held = holders.of(claim.id());
        if (held == null) {
            return null;
        }
        Holder lasting = held.lasting(now.nanos() + Times.nanos(claim.lease()));
        holders.replace(held, lasting);
        return lasting;
    }

    private ClaimAnswer busy(ClaimId claim, int share, ClockReading now) {
        Holder inTheWay = holders.lastInTheWayOf(share);
        Holder shown =
                inTheWay != null || holders.isEmpty() ? inTheWay : holders.all().get(0);
        return new ClaimAnswer.Busy(
                shown == null ? null : shown.info(now),
                inTheWay == null ? Duration.ZERO : inTheWay.left(now),
                place(claim));
    }

    RenewAnswer renew(LeaseId lease, Duration duration, ClockReading now) {
        settle(now);
        Holder held = holders.of(lease);
        return held == null ? new RenewAnswer.Lost() : renew(held, held, duration, now);
    }

    RenewAnswer downgrade(LeaseId lease, Duration duration, ClockReading now, Notifications out) {
        settle(now);
        Holder held = holders.of(lease);
        if (held == null) {
            return new RenewAnswer.Lost();
        }
        RenewAnswer answer = renew(held, held.downgraded(), duration, now);
        handOver(null, "", now, out);
        return answer;
    }

    private RenewAnswer renew(Holder held, Holder by, Duration duration, ClockReading now) {
        Holder lasting = by.lasting(now.nanos() + Times.nanos(duration));
        holders.replace(held, lasting);
        return new RenewAnswer.Renewed(lasting.validity(now), !queue.isEmpty());
    }

    ReleaseAnswer release(LeaseId lease, Duration keepFor, ClockReading now, Notifications out) {
        settle(now);
        Holder held = holders.of(lease);
        if (held == null) {
            return ReleaseAnswer.NOT_HELD;
        }
        long keep = Times.nanos(keepFor);
        if (keep > 0) {
            holders.replace(held, held.kept(now.nanos() + keep));
        } else {
            holders.remove(held);
        }
        handOver(null, "", now, out);
        return ReleaseAnswer.RELEASED;
    }

    boolean withdraw(ClaimId claim, ClockReading now, Notifications out) {
        settle(now);
        boolean waited = queue.remove(claim) != null;
        Holder held = holders.of(claim);
        if (held != null) {
            holders.remove(held);
        }
        handOver(null, "", now, out);
        return waited || held != null;
    }

    boolean breakLease(long token, ClockReading now, Notifications out) {
        settle(now);
        Holder held = holders.withToken(token);
        if (held == null) {
            return false;
        }
        if (held.claim() != null) {
            out.broken(name, held.claim());
        }
        holders.remove(held);
        handOver(null, "", now, out);
        return true;
    }

    LockInfo info(ClockReading now) {
        settle(now);
        List<WaiterInfo> waiters = new ArrayList<>(queue.size());
        for (Waiter waiter : queue.values()) {
            waiters.add(new WaiterInfo(
                    waiter.owner(), waiters.size() + 1, waiter.claim().share(), Times.instant(waiter.sinceMicros())));
        }
        List<HolderInfo> infos =
                holders.all().stream().map(holder -> holder.info(now)).toList();
        return new LockInfo(name, infos, waiters, List.of());
    }

    boolean isIdle(ClockReading now) {
        settle(now);
        return holders.isEmpty() && queue.isEmpty();
    }

    long last() {
        return last;
    }

    private void settle(ClockReading now) {
        holders.removeOver(now);
        if (!queue.isEmpty()) {
            queue.values().removeIf(waiter -> now.nanos() - waiter.aliveUntil() >= 0);
        }
    }

    /**
     * Lets waiters in, the first in the queue first, until one does not fit; then the asker, if nobody waits any more. A
     * waiter that has not asked just now has a claim period to confirm, and gets a notification. Returns the asker's holder if
     * it came in.
     */
    private @Nullable Holder handOver(@Nullable Claim asker, String owner, ClockReading now, Notifications out) {
        Holder own = null;
        while (!queue.isEmpty()) {
            Waiter first = queue.values().iterator().next();
            Claim claim = first.claim();
            if (!holders.admit(claim.share())) {
                return own;
            }
            queue.remove(claim.id());
            if (asker != null && asker.id().equals(claim.id())) {
                own = grant(claim, owner, claim.lease(), now);
            } else {
                Duration period = WaitingRules.claimPeriod(claim.lease());
                Holder granted = grant(claim, first.owner(), period, now);
                LeaseId lease = new LeaseId(name, claim.id(), granted.token());
                out.granted(new Grant(lease, granted.spare(), granted.share(), granted.slot()), period);
            }
        }
        if (asker != null && own == null && holders.admit(asker.share()) && holders.of(asker.id()) == null) {
            own = grant(asker, owner, asker.lease(), now);
        }
        return own;
    }

    private Holder grant(Claim claim, String owner, Duration duration, ClockReading now) {
        long token = Math.max(last + 1, now.wallMicros());
        last = token + claim.spare();
        Holder granted = new Holder(
                claim.id(),
                owner,
                token,
                claim.spare(),
                claim.share(),
                holders.freeSlot(claim.share()),
                now.wallMicros(),
                now.nanos() + Times.nanos(duration));
        holders.add(granted);
        return granted;
    }

    private int place(ClaimId claim) {
        int place = 0;
        for (ClaimId waiting : queue.keySet()) {
            place++;
            if (waiting.equals(claim)) {
                return place;
            }
        }
        return 0;
    }

    /** Returns a claim with the share of its first arrival: a later one does not count. */
    private static Claim withShare(Claim claim, int share) {
        return share == claim.share()
                ? claim
                : new Claim(
                        claim.id(),
                        claim.lock(),
                        share,
                        claim.lease(),
                        share == Claim.EXCLUSIVE ? claim.spare() : 0,
                        claim.enqueue(),
                        claim.place());
    }

    private static Waiter waiter(Claim claim, String owner, long sinceMicros, ClockReading now) {
        long aliveUntil = now.nanos() + Times.nanos(WaitingRules.aliveFor(claim.lease()));
        return new Waiter(claim, owner, sinceMicros, aliveUntil);
    }
}

package dev.leasehold.memory;

import dev.leasehold.HolderInfo;
import dev.leasehold.LockInfo;
import dev.leasehold.WaiterInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import dev.leasehold.spi.RenewAnswer;
import dev.leasehold.spi.Validity;
import dev.leasehold.spi.WaitingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A memory lock is one lock and its queue. It is pure: the time goes in; the answer and the notifications come out. Not
 * thread-safe.
 *
 * <p>Whenever the lock becomes free, {@link #handOver} alone decides who is next. It never looks at the asker before it has
 * looked at the queue, so nobody overtakes. Time passes only in {@link #settle}, which each operation calls first: a lease
 * that is over and waiters that are dead are gone before anything else is looked at, so no operation can bring them back.
 */
final class MemoryLock {

    /**
     * The lease of the lock's holder: of a claim until it is released or runs out; of nobody while a released lock is kept.
     */
    private record StoredLease(
            @Nullable ClaimId claim, String owner, long token, int spare, long sinceMicros, long end) {

        boolean isLease(LeaseId lease) {
            return lease.claim().equals(claim) && lease.token() == token;
        }

        boolean runContains(long candidate) {
            return candidate >= token && candidate <= token + spare;
        }

        StoredLease lasting(long atLeastUntil) {
            return atLeastUntil - end <= 0
                    ? this
                    : new StoredLease(claim, owner, token, spare, sinceMicros, atLeastUntil);
        }

        StoredLease kept(long until) {
            return new StoredLease(null, "", token, spare, sinceMicros, until);
        }
    }

    /** A claim in the queue, as it was sent last. */
    private record Waiter(Claim claim, String owner, long sinceMicros, long aliveUntil) {}

    private final String name;
    private final Map<ClaimId, Waiter> queue = new LinkedHashMap<>();
    private @Nullable StoredLease stored;
    private long last;

    MemoryLock(String name, long last) {
        this.name = name;
        this.last = last;
    }

    ClaimAnswer claim(Claim claim, String owner, ClockReading now, Notifications out) {
        settle(now);
        Waiter known = queue.get(claim.id());
        if (known != null) {
            queue.put(claim.id(), waiter(claim, owner, known.sinceMicros(), now));
        }
        if (stored == null) {
            handOver(claim, owner, now, out);
        }
        if (stored != null && claim.id().equals(stored.claim())) {
            stored = stored.lasting(now.nanos() + Times.nanos(claim.lease()));
            LeaseId lease = new LeaseId(name, claim.id(), stored.token());
            return new ClaimAnswer.Granted(lease, stored.spare(), validity(stored, now));
        }
        if (claim.enqueue() && !queue.containsKey(claim.id())) {
            queue.put(claim.id(), waiter(claim, owner, now.wallMicros(), now));
        }
        HolderInfo holder = holder(now);
        return new ClaimAnswer.Busy(holder, holder == null ? null : holder.timeLeft(), place(claim.id()));
    }

    RenewAnswer renew(LeaseId lease, Duration duration, ClockReading now) {
        settle(now);
        if (stored == null || !stored.isLease(lease)) {
            return new RenewAnswer.Lost();
        }
        stored = stored.lasting(now.nanos() + Times.nanos(duration));
        return new RenewAnswer.Renewed(validity(stored, now), !queue.isEmpty());
    }

    ReleaseAnswer release(LeaseId lease, Duration keepFor, ClockReading now, Notifications out) {
        settle(now);
        if (stored == null || !stored.isLease(lease)) {
            return ReleaseAnswer.NOT_HELD;
        }
        long keep = Times.nanos(keepFor);
        if (keep > 0) {
            stored = stored.kept(now.nanos() + keep);
        } else {
            stored = null;
            handOver(null, "", now, out);
        }
        return ReleaseAnswer.RELEASED;
    }

    boolean withdraw(ClaimId claim, ClockReading now, Notifications out) {
        settle(now);
        boolean waited = queue.remove(claim) != null;
        boolean held = stored != null && claim.equals(stored.claim());
        if (held) {
            stored = null;
            handOver(null, "", now, out);
        }
        return waited || held;
    }

    boolean breakLease(long token, ClockReading now, Notifications out) {
        settle(now);
        if (stored == null || !stored.runContains(token)) {
            return false;
        }
        if (stored.claim() != null) {
            out.broken(name, stored.claim());
        }
        stored = null;
        handOver(null, "", now, out);
        return true;
    }

    LockInfo info(ClockReading now) {
        settle(now);
        List<WaiterInfo> waiters = new ArrayList<>(queue.size());
        for (Waiter waiter : queue.values()) {
            waiters.add(new WaiterInfo(waiter.owner(), waiters.size() + 1, Times.instant(waiter.sinceMicros())));
        }
        return new LockInfo(name, holder(now), waiters);
    }

    boolean isIdle(ClockReading now) {
        settle(now);
        return stored == null && queue.isEmpty();
    }

    long last() {
        return last;
    }

    private void settle(ClockReading now) {
        if (stored != null && now.nanos() - stored.end() >= 0) {
            stored = null;
        }
        if (!queue.isEmpty()) {
            queue.values().removeIf(waiter -> now.nanos() - waiter.aliveUntil() >= 0);
        }
    }

    /**
     * Gives the free lock to the first in the queue, else to the asker. A waiter that has not asked just now has a claim
     * period to confirm, and gets a notification.
     */
    private void handOver(@Nullable Claim asker, String owner, ClockReading now, Notifications out) {
        Iterator<Waiter> waiters = queue.values().iterator();
        if (!waiters.hasNext()) {
            if (asker != null) {
                grant(asker, owner, asker.lease(), now);
            }
            return;
        }
        Waiter first = waiters.next();
        waiters.remove();
        Claim claim = first.claim();
        if (asker != null && asker.id().equals(claim.id())) {
            grant(asker, owner, asker.lease(), now);
            return;
        }
        Duration period = WaitingRules.claimPeriod(claim.lease());
        long token = grant(claim, first.owner(), period, now);
        out.granted(new LeaseId(name, claim.id(), token), claim.spare(), period);
    }

    private long grant(Claim claim, String owner, Duration duration, ClockReading now) {
        long token = Math.max(last + 1, now.wallMicros());
        last = token + claim.spare();
        long end = now.nanos() + Times.nanos(duration);
        stored = new StoredLease(claim.id(), owner, token, claim.spare(), now.wallMicros(), end);
        return token;
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

    private @Nullable HolderInfo holder(ClockReading now) {
        if (stored == null) {
            return null;
        }
        Duration left = Duration.ofNanos(stored.end() - now.nanos());
        return new HolderInfo(
                stored.owner(),
                stored.token(),
                Times.instant(stored.sinceMicros()),
                Times.instant(now.wallMicros()).plus(left),
                left);
    }

    private static Waiter waiter(Claim claim, String owner, long sinceMicros, ClockReading now) {
        long aliveUntil = now.nanos() + Times.nanos(WaitingRules.aliveFor(claim.lease()));
        return new Waiter(claim, owner, sinceMicros, aliveUntil);
    }

    private static Validity validity(StoredLease granted, ClockReading now) {
        return Validity.of(now, Duration.ofNanos(granted.end() - now.nanos()));
    }
}

package dev.leasehold.simulator;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A simulated lock is what a node keeps of one lock: its holders, dead ones included until somebody comes in, its queue, and
 * the last token.
 */
final class SimLock {

    /** A waiter has the share of its first arrival, and the stamp of the question that came last. */
    record Waiter(
            ClaimId claim,
            String owner,
            int share,
            long leaseMicros,
            long periodMicros,
            int spare,
            ClockReading stamp,
            long aliveUntil) {}

    /** A hold is one holder's, or what is kept of it. */
    static final class Held {
        LeaseId lease;
        boolean kept;
        String owner;
        int spare;
        int share;
        int slot;
        long end;

        Held(LeaseId lease, String owner, int spare, int share, int slot, long end) {
            this.lease = lease;
            this.owner = owner;
            this.spare = spare;
            this.share = share;
            this.slot = slot;
            this.end = end;
        }

        boolean has(long token) {
            return lease.token() <= token && token <= lease.token() + spare;
        }
    }

    final List<Held> holders = new ArrayList<>();
    final List<Waiter> queue = new ArrayList<>();
    long last;
    /** The smallest share since the lock was free, for the broken rule alone. */
    int strictest = Claim.UNLIMITED;

    private final Set<SimGuard> off;

    SimLock(Set<SimGuard> off) {
        this.off = off;
    }

    List<Held> live(long now) {
        return holders.stream().filter(held -> held.end > now).toList();
    }

    boolean isTaken(long now) {
        return holders.stream().anyMatch(held -> held.end > now);
    }

    /** Returns the live holder that is somebody's and of this kind, or null. */
    @Nullable Held holder(long now, Predicate<Held> which) {
        for (Held held : holders) {
            if (held.end > now && !held.kept && which.test(held)) {
                return held;
            }
        }
        return null;
    }

    boolean fits(int share, long now) {
        return fits(share, live(now));
    }

    private boolean fits(int share, List<Held> beside) {
        long count = beside.stream()
                .filter(held -> !held.kept || !off.contains(SimGuard.KEPT_COUNTS))
                .count();
        if (count == 0) {
            return true;
        }
        if (count >= share && !off.contains(SimGuard.OWN_SHARE_COUNTS)) {
            return false;
        }
        if (off.contains(SimGuard.ONLY_THE_LIVING_LIMIT) && count >= strictest) {
            return false;
        }
        return off.contains(SimGuard.HOLDERS_SHARES_COUNT)
                || beside.stream().allMatch(held -> count < held.share || isNoHolder(held));
    }

    private boolean isNoHolder(Held held) {
        return held.kept && off.contains(SimGuard.KEPT_COUNTS);
    }

    /** Returns the holder whose end lets a share in, if none of them renews; null if it fits now. */
    @Nullable Held lastInTheWayOf(int share, long now) {
        List<Held> left = new ArrayList<>(live(now));
        left.sort(Comparator.comparingLong(held -> held.end));
        Held gone = null;
        while (!fits(share, left)) {
            gone = left.remove(0);
        }
        return gone;
    }

    int slot(int share, long now) {
        if (!Claim.hasSlots(share)) {
            return Grant.NO_SLOT;
        }
        List<Held> live = live(now);
        if (off.contains(SimGuard.SMALLEST_FREE_SLOT)) {
            return live.size();
        }
        int slot = 0;
        while (isTaken(slot, live)) {
            slot++;
        }
        return slot;
    }

    private static boolean isTaken(int slot, List<Held> live) {
        return live.stream().anyMatch(held -> held.slot == slot);
    }

    int indexOf(ClaimId claim) {
        for (int i = 0; i < queue.size(); i++) {
            if (queue.get(i).claim().equals(claim)) {
                return i;
            }
        }
        return -1;
    }
}

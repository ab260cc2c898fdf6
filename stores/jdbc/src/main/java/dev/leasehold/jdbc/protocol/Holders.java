package dev.leasehold.jdbc.protocol;

import dev.leasehold.jdbc.protocol.LockRow.StoredLease;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Holders are those who have one lock and are alive, in the order of their tokens. Immutable. */
public record Holders(List<StoredLease> all) {

    public static final Holders NONE = new Holders(List.of());

    /** Makes the list unmodifiable. */
    public Holders {
        all = List.copyOf(all);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns whether the lock has a holder who shares it with nobody. */
    public boolean isExclusive() {
        return !all.isEmpty() && all.get(0).isExclusive();
    }

    public @Nullable StoredLease of(ClaimId claim) {
        return first(holder -> holder.belongsTo(claim));
    }

    @Nullable StoredLease of(LeaseId lease) {
        return first(holder -> holder.isLease(lease));
    }

    @Nullable StoredLease withToken(long token) {
        return first(holder -> holder.runContains(token));
    }

    private @Nullable StoredLease first(Predicate<StoredLease> which) {
        for (StoredLease holder : all) {
            if (which.test(holder)) {
                return holder;
            }
        }
        return null;
    }

    /** Returns whether one more, with this share, would be within its own share and everybody's. */
    public boolean admit(int share) {
        return fits(share, all);
    }

    private static boolean fits(int share, List<StoredLease> beside) {
        if (beside.size() >= share) {
            return false;
        }
        for (StoredLease holder : beside) {
            if (beside.size() >= holder.share()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Finds the holder whose end lets a share in, if none of them renews: of several the one that ends first. Null if it
     * would be let in now.
     */
    @Nullable StoredLease lastInTheWayOf(int share) {
        List<StoredLease> left = new ArrayList<>(all);
        left.sort(Comparator.comparingLong(StoredLease::ends));
        StoredLease gone = null;
        while (!fits(share, left)) {
            gone = left.remove(0);
        }
        return gone;
    }

    /** Returns the slot of a new holder: the smallest number that none has; none for shares without slots. */
    int freeSlot(int share) {
        if (!Claim.hasSlots(share)) {
            return Grant.NO_SLOT;
        }
        int slot = 0;
        while (isTaken(slot)) {
            slot++;
        }
        return slot;
    }

    private boolean isTaken(int slot) {
        return all.stream().anyMatch(holder -> holder.slot() == slot);
    }

    /** Returns when the last of them ends, or another one that ends then. */
    public long end(long another) {
        return all.stream().mapToLong(StoredLease::ends).reduce(another, Math::max);
    }

    Holders with(StoredLease granted) {
        if (all.isEmpty()) {
            return new Holders(List.of(granted));
        }
        List<StoredLease> more = new ArrayList<>(all);
        more.add(granted);
        return new Holders(more);
    }

    Holders without(StoredLease holder) {
        List<StoredLease> fewer = new ArrayList<>(all);
        fewer.removeIf(each -> each.token() == holder.token());
        return fewer.isEmpty() ? NONE : new Holders(fewer);
    }

    Holders with(StoredLease old, StoredLease by) {
        return new Holders(all.stream()
                .map(each -> each.token() == old.token() ? by : each)
                .toList());
    }
}

package dev.leasehold.memory;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holders are those of one lock that are alive, in the order of their tokens. Those whose end has passed are gone before
 * anything else is looked at ({@link #removeOver}), so the smallest share is always that of the living.
 */
final class Holders {

    private final List<Holder> all = new ArrayList<>(1);

    boolean isEmpty() {
        return all.isEmpty();
    }

    List<Holder> all() {
        return all;
    }

    void removeOver(ClockReading now) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).isOver(now)) {
                all.remove(i);
            }
        }
    }

    void add(Holder holder) {
        all.add(holder);
    }

    void replace(Holder old, Holder by) {
        all.set(indexOf(old), by);
    }

    void remove(Holder holder) {
        all.remove(indexOf(holder));
    }

    /** Returns where a holder stands: by its token, of which no two have the same. */
    private int indexOf(Holder holder) {
        int i = 0;
        while (all.get(i).token() != holder.token()) {
            i++;
        }
        return i;
    }

    @Nullable Holder of(ClaimId claim) {
        for (int i = 0; i < all.size(); i++) {
            if (claim.equals(all.get(i).claim())) {
                return all.get(i);
            }
        }
        return null;
    }

    @Nullable Holder of(LeaseId lease) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).isLease(lease)) {
                return all.get(i);
            }
        }
        return null;
    }

    @Nullable Holder withToken(long token) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).runContains(token)) {
                return all.get(i);
            }
        }
        return null;
    }

    /** Returns whether one more holder with a share would be within its own share and everybody's. */
    boolean admit(int share) {
        return fits(share, all);
    }

    private static boolean fits(int share, List<Holder> beside) {
        if (beside.size() >= share) {
            return false;
        }
        for (int i = 0; i < beside.size(); i++) {
            if (beside.size() >= beside.get(i).share()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the holder whose end lets a share in, if none of them renews: of several the one that ends first. Null if it
     * would be let in now.
     */
    @Nullable Holder lastInTheWayOf(int share) {
        List<Holder> left = new ArrayList<>(all);
        left.sort(Comparator.comparingLong(Holder::end));
        Holder gone = null;
        while (!fits(share, left)) {
            gone = left.remove(0);
        }
        return gone;
    }

    /** Returns the slot for a new holder: the smallest number that none has; none for shares without slots. */
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
        for (Holder holder : all) {
            if (holder.slot() == slot) {
                return true;
            }
        }
        return false;
    }
}

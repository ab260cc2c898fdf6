package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a local queue are those that the store has granted to it, the oldest first. One process may hold thousands
 * of one shared lock, so an event has to do only with those that it names, that nobody holds yet, or that are due.
 */
final class Leases {

    private final List<StoreLease> all = new ArrayList<>(1);
    private final ArrayList<StoreLease> free = new ArrayList<>(1);

    private @Nullable StoreLease named;
    private @Nullable StoreLease first;
    private long firstDue = DueTimes.NEVER;
    private boolean whole;

    void add(StoreLease granted) {
        all.add(granted);
        free.add(granted);
    }

    /** Notes that a caller holds a lease from now on. */
    void held(StoreLease lease) {
        free.remove(lease);
        free.trimToSize(); // Few are free at a time, and those that are held may be for long.
    }

    /** Notes that nobody holds a lease any more. */
    void freed(StoreLease lease) {
        free.add(lease);
    }

    void remove(StoreLease ended) {
        ended.ended = true;
        all.remove(ended);
        free.remove(ended);
    }

    void clear() {
        all.clear();
        free.clear();
        first = null;
        firstDue = DueTimes.NEVER;
    }

    List<StoreLease> all() {
        return all;
    }

    int size() {
        return all.size();
    }

    /** Returns the leases that nobody holds, to be given to a caller or back to the store. */
    List<StoreLease> free() {
        return free;
    }

    /** Returns where to go on in a list of leases of which a step may have taken out the one at a place. */
    static int next(List<StoreLease> list, int place, StoreLease seen) {
        return place < list.size() && list.get(place) == seen ? place + 1 : place;
    }

    /** Returns the lease that an event names, which is looked at after it; null if it is over. */
    @Nullable StoreLease named(LeaseId lease) {
        for (int i = 0; i < all.size(); i++) {
            StoreLease one = all.get(i);
            if (one.lease().token() == lease.token() && one.lease().equals(lease)) {
                named = one;
                return one;
            }
        }
        return null;
    }

    /** Returns the lease under which an event's hold is, which is looked at after it; null if no lease has it any more. */
    @Nullable StoreLease named(Hold hold) {
        for (int i = 0; i < all.size(); i++) {
            StoreLease one = all.get(i);
            if (one.hold() == hold) {
                named = one;
                return one;
            }
        }
        return null;
    }

    /** Returns whether a claim has become one of the leases. */
    boolean isAnyOf(ClaimId claim) {
        return all.stream().anyMatch(lease -> lease.lease().claim().equals(claim));
    }

    /** Returns whether one of the leases of an exclusive lock was not made a reader's. */
    boolean isAnyExclusive() {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isDowngraded()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether so many callers of this process hold the lock that nobody else can. */
    boolean areFull(int share, ClockReading clocks) {
        if (all.size() < share) {
            return false;
        }
        int holds = 0;
        for (int i = 0; i < all.size(); i++) {
            holds += isHeld(all.get(i), clocks) ? 1 : 0;
        }
        return holds >= share;
    }

    /** To ask a hold for its state may begin its doubt, or show its end: then all are looked at, in this event or the next. */
    private boolean isHeld(StoreLease lease, ClockReading clocks) {
        Hold hold = lease.hold();
        if (hold == null) {
            return false;
        }
        LeaseState state = hold.state(clocks);
        if (state == LeaseState.UNCONFIRMED || state.isFinal()) {
            firstDue = clocks.nanos();
        }
        return !state.isFinal();
    }

    boolean isAnyPreparing() {
        for (int i = 0; i < free.size(); i++) {
            if (free.get(i).isPreparing()) {
                return true;
            }
        }
        return false;
    }

    /** Returns a hold that was given to the thread on which a caller waits, or null. */
    @Nullable Hold holdOfThreadOf(Caller caller) {
        for (StoreLease lease : all) {
            Hold hold = lease.hold();
            if (hold != null && caller.isWaitedForBy(hold.waiter())) {
                return hold;
            }
        }
        return null;
    }

    // ---- which are looked at after an event ----------------------------------------------------------------------

    /** Returns all leases, since an event names all of them. */
    List<StoreLease> nameAll() {
        first = null;
        return List.copyOf(all);
    }

    /** Returns the leases to be looked at after an event: all if one is due, or if the event names the one that is due first. */
    List<StoreLease> toLookAt(long now) {
        whole = all.size() <= 1 || first == null || first == named || now - firstDue >= 0;
        if (whole) {
            return all;
        }
        List<StoreLease> some = new ArrayList<>(free);
        if (named != null && !named.ended && named.hold() != null) {
            some.add(named);
        }
        return some;
    }

    /** Notes what is due next, once the leases that an event had to do with were looked at. */
    void plan(List<StoreLease> lookedAt) {
        named = null;
        if (whole || all.isEmpty()) {
            first = null;
            firstDue = DueTimes.NEVER;
        }
        for (int i = 0; i < lookedAt.size(); i++) {
            StoreLease lease = lookedAt.get(i);
            long due = lease.nextDue();
            if (!lease.ended && (first == null || due - firstDue < 0)) {
                first = lease;
                firstDue = due;
            }
        }
    }

    /** Returns when the first of them is due, or an earlier time if the one that was first has ended. */
    long nextDue() {
        return firstDue;
    }
}

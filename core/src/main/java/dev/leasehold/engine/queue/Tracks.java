package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tracks of a local queue, the oldest first. An exclusive lock always has its first track, which claims or holds for the
 * callers one after the other; a lease that was downgraded goes on in a track of its own behind it. A shared lock has as
 * many tracks as it needs, and none when it is idle.
 */
final class Tracks {

    private final int share;
    private final Function<Tracks, Track> factory;
    private final List<Track> all = new ArrayList<>(1);

    Tracks(int share, Function<Tracks, Track> factory) {
        this.share = share;
        this.factory = factory;
        if (share == Claim.EXCLUSIVE) {
            all.add(factory.apply(this));
        }
    }

    int count() {
        return all.size();
    }

    /** Returns a track by its age, 0 for the oldest. */
    Track get(int i) {
        return all.get(i);
    }

    Track add() {
        Track added = factory.apply(this);
        all.add(added);
        return added;
    }

    /** Lets the lease of an exclusive lock go on beside a new first track, because it is a reader's now. */
    void setAside(Track downgraded) {
        if (share == Claim.EXCLUSIVE && all.remove(downgraded)) {
            all.add(0, factory.apply(this));
            all.add(downgraded);
        }
    }

    /** Forgets the tracks that have neither a claim nor a lease; an exclusive lock keeps its first. */
    void removeIdle() {
        for (int i = all.size() - 1; i >= (share == Claim.EXCLUSIVE ? 1 : 0); i--) {
            if (all.get(i).isIdle()) {
                all.remove(i);
            }
        }
    }

    @Nullable Track claiming(ClaimId claim) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).claimant().isFor(claim)) {
                return all.get(i);
            }
        }
        return null;
    }

    @Nullable Track leasing(LeaseId lease) {
        for (int i = 0; i < all.size(); i++) {
            StoreLease current = all.get(i).watchdog().storeLease();
            if (current != null && current.lease().equals(lease)) {
                return all.get(i);
            }
        }
        return null;
    }

    @Nullable Track holding(Hold hold) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).watchdog().hold() == hold) {
                return all.get(i);
            }
        }
        return null;
    }

    /** Returns whether a claim has become one of the leases. */
    boolean hasLeaseOf(ClaimId claim) {
        for (int i = 0; i < all.size(); i++) {
            StoreLease current = all.get(i).watchdog().storeLease();
            if (current != null && current.lease().claim().equals(claim)) {
                return true;
            }
        }
        return false;
    }

    boolean areIdle() {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many claims are before the store. */
    int claims() {
        int claims = 0;
        for (int i = 0; i < all.size(); i++) {
            claims += all.get(i).claimant().hasClaim() ? 1 : 0;
        }
        return claims;
    }

    /** Returns how many claims wait in the store's queue, or will if the lock is taken. */
    int queuedClaims() {
        int claims = 0;
        for (int i = 0; i < all.size(); i++) {
            claims += all.get(i).claimant().isQueued() ? 1 : 0;
        }
        return claims;
    }

    /** Returns to how many claims an answer is under way. */
    int claimsUnderWay() {
        int claims = 0;
        for (int i = 0; i < all.size(); i++) {
            claims += all.get(i).claimant().isUnderWay() ? 1 : 0;
        }
        return claims;
    }

    int leases() {
        int leases = 0;
        for (int i = 0; i < all.size(); i++) {
            leases += all.get(i).watchdog().storeLease() == null ? 0 : 1;
        }
        return leases;
    }

    /** Returns how many leases are about to be given to a caller. */
    int leasesToGive() {
        int leases = 0;
        for (int i = 0; i < all.size(); i++) {
            Watchdog watchdog = all.get(i).watchdog();
            leases += watchdog.storeLease() != null && watchdog.hold() == null ? 1 : 0;
        }
        return leases;
    }

    /** Returns whether so many callers of this process hold the lock that nobody else can. */
    boolean areFull(ClockReading clocks) {
        int holds = 0;
        for (int i = 0; i < all.size(); i++) {
            Hold hold = all.get(i).watchdog().hold();
            holds += hold == null || hold.state(clocks).isFinal() ? 0 : 1;
        }
        return holds >= share;
    }

    boolean anySaysBusy() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).claimant().saysBusy()) {
                return true;
            }
        }
        return false;
    }

    boolean anyMayHaveLeftTraces() {
        for (int i = 0; i < all.size(); i++) {
            Track track = all.get(i);
            if (track.watchdog().storeLease() != null || track.claimant().mayHaveLeftTraces()) {
                return true;
            }
        }
        return false;
    }

    boolean anyIsPreparing() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).watchdog().isPreparing()) {
                return true;
            }
        }
        return false;
    }

    /** Returns a hold that was given to the thread on which a caller waits, or null. */
    @Nullable Hold holdOfThreadOf(Caller caller) {
        for (int i = 0; i < all.size(); i++) {
            Hold hold = all.get(i).watchdog().hold();
            if (hold != null && caller.isWaitedForBy(hold.waiter())) {
                return hold;
            }
        }
        return null;
    }
}

package dev.leasehold.engine.queue;

import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tracks of a local queue are kept in order, the oldest first. An exclusive lock always has its first track, which
 * claims or holds for the callers one after the other; a lease that was downgraded goes on in a track of its own behind it.
 * A shared lock has as many tracks as it needs, and none when it is idle.
 */
final class Tracks {

    private final int share;
    private final Supplier<Track> factory;

    // An array and a count, since nearly all queues have one track, live for one cycle, and look at it often.
    private @Nullable Track[] all = new Track[1];
    private int count;

    Tracks(int share, Supplier<Track> factory) {
        this.share = share;
        this.factory = factory;
    }

    /** Makes the first track of an exclusive lock. */
    void begin() {
        if (share == Claim.EXCLUSIVE) {
            add();
        }
    }

    int count() {
        return count;
    }

    /** Returns a track by its age, 0 for the oldest. */
    Track get(int i) {
        return Objects.requireNonNull(all[i]);
    }

    Track add() {
        Track added = factory.get();
        append(added);
        return added;
    }

    private void append(Track track) {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = track;
    }

    private void remove(int i) {
        System.arraycopy(all, i + 1, all, i, count - i - 1);
        all[--count] = null;
    }

    /** Lets the lease of an exclusive lock go on beside a new first track, because it is a reader's now. */
    void setAside(Track downgraded) {
        if (share == Claim.EXCLUSIVE && get(0).equals(downgraded)) {
            all[0] = factory.get();
            append(downgraded);
        }
    }

    /** Forgets the tracks that have neither a claim nor a lease; an exclusive lock keeps its first. */
    void removeIdle() {
        for (int i = count - 1; i >= (share == Claim.EXCLUSIVE ? 1 : 0); i--) {
            if (get(i).isIdle()) {
                remove(i);
            }
        }
    }

    @Nullable Track claiming(ClaimId claim) {
        for (int i = 0; i < count; i++) {
            if (get(i).claimant().isFor(claim)) {
                return get(i);
            }
        }
        return null;
    }

    @Nullable Track leasing(LeaseId lease) {
        for (int i = 0; i < count; i++) {
            StoreLease current = get(i).watchdog().storeLease();
            if (current != null && current.lease().equals(lease)) {
                return get(i);
            }
        }
        return null;
    }

    @Nullable Track holding(Hold hold) {
        for (int i = 0; i < count; i++) {
            if (get(i).watchdog().hold() == hold) {
                return get(i);
            }
        }
        return null;
    }

    /** Returns whether a claim has become one of the leases. */
    boolean hasLeaseOf(ClaimId claim) {
        for (int i = 0; i < count; i++) {
            StoreLease current = get(i).watchdog().storeLease();
            if (current != null && current.lease().claim().equals(claim)) {
                return true;
            }
        }
        return false;
    }

    boolean areIdle() {
        for (int i = 0; i < count; i++) {
            if (!get(i).isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many claims are before the store. */
    int claims() {
        int claims = 0;
        for (int i = 0; i < count; i++) {
            claims += get(i).claimant().hasClaim() ? 1 : 0;
        }
        return claims;
    }

    /** Returns how many claims wait in the store's queue, or will if the lock is taken. */
    int queuedClaims() {
        int claims = 0;
        for (int i = 0; i < count; i++) {
            claims += get(i).claimant().isQueued() ? 1 : 0;
        }
        return claims;
    }

    /** Returns to how many claims an answer is under way. */
    int claimsUnderWay() {
        int claims = 0;
        for (int i = 0; i < count; i++) {
            claims += get(i).claimant().isUnderWay() ? 1 : 0;
        }
        return claims;
    }

    int leases() {
        int leases = 0;
        for (int i = 0; i < count; i++) {
            leases += get(i).watchdog().storeLease() == null ? 0 : 1;
        }
        return leases;
    }

    /** Returns how many leases are about to be given to a caller. */
    int leasesToGive() {
        int leases = 0;
        for (int i = 0; i < count; i++) {
            Watchdog watchdog = get(i).watchdog();
            leases += watchdog.storeLease() != null && watchdog.hold() == null ? 1 : 0;
        }
        return leases;
    }

    /** Returns whether so many callers of this process hold the lock that nobody else can. */
    boolean areFull(ClockReading clocks) {
        int holds = 0;
        for (int i = 0; i < count; i++) {
            Hold hold = get(i).watchdog().hold();
            holds += hold == null || hold.state(clocks).isFinal() ? 0 : 1;
        }
        return holds >= share;
    }

    boolean anySaysBusy() {
        for (int i = 0; i < count; i++) {
            if (get(i).claimant().saysBusy()) {
                return true;
            }
        }
        return false;
    }

    boolean anyMayHaveLeftTraces() {
        for (int i = 0; i < count; i++) {
            Track track = get(i);
            if (track.watchdog().storeLease() != null || track.claimant().mayHaveLeftTraces()) {
                return true;
            }
        }
        return false;
    }

    boolean anyIsPreparing() {
        for (int i = 0; i < count; i++) {
            if (get(i).watchdog().isPreparing()) {
                return true;
            }
        }
        return false;
    }

    /** Returns a hold that was given to the thread on which a caller waits, or null. */
    @Nullable Hold holdOfThreadOf(Caller caller) {
        for (int i = 0; i < count; i++) {
            Hold hold = get(i).watchdog().hold();
            if (hold != null && caller.isWaitedForBy(hold.waiter())) {
                return hold;
            }
        }
        return null;
    }
}

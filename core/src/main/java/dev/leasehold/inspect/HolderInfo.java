package dev.leasehold.inspect;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Holder information describes the holder of a lock, as its store sees it. For people: nothing may be decided by it.
 *
 * @param owner the client in words (host, process, label); empty where the lock is kept without a holder
 * @param token the fencing token of the lease: the first of its run
 * @param share with how many holders at most, itself included, it coexists: 1 for an exclusive holder, the number of permits
 *     for a permit, {@link Integer#MAX_VALUE} for a reader
 * @param slot the slot of a permit; empty for all others, and where the store does not know it
 * @param since when the lease was granted, by the store's clock, or null where it does not say
 * @param until when it ends unless it is renewed, by the store's clock, or null where it does not say
 * @param timeLeft how long until then, or null where the store does not say
 */
public record HolderInfo(
        String owner,
        long token,
        int share,
        OptionalInt slot,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable Duration timeLeft) {

    /** Checks the parts. */
    public HolderInfo {
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(slot, "slot");
    }

    /** Makes the information on an exclusive holder. */
    public HolderInfo(
            String owner, long token, @Nullable Instant since, @Nullable Instant until, @Nullable Duration timeLeft) {
        this(owner, token, 1, OptionalInt.empty(), since, until, timeLeft);
    }

    /** {@return whether it has the lock to itself: whether its share is 1} */
    public boolean isExclusive() {
        return share == 1;
    }

    /** {@return the client's host, process and label, as far as {@link #owner()} says them} All are empty where the lock is kept without a holder. */
    public ClientDescription client() {
        return ClientDescription.parse(owner);
    }
}

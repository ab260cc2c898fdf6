package dev.leasehold;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holder information describes the holder of a lock, as its store sees it. For people: nothing may be decided by it.
 *
 * @param owner the client in words (host, process, label); empty where the lock is kept without a holder
 * @param token the fencing token of the lease: the first of its run
 * @param since when the lease was granted, by the store's clock, or null where it does not say
 * @param until when it ends unless it is renewed, by the store's clock, or null where it does not say
 * @param timeLeft how long until then, or null where the store does not say
 */
public record HolderInfo(
        String owner,
        long token,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable Duration timeLeft) {

    /** Checks the parts. */
    public HolderInfo {
        Objects.requireNonNull(owner, "owner");
    }

    /** {@return the client's host, process and label, as far as {@link #owner()} says them} All are empty where the lock is kept without a holder. */
    public ClientDescription client() {
        return ClientDescription.parse(owner);
    }
}

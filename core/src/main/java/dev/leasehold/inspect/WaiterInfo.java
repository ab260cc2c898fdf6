package dev.leasehold.inspect;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waiter information describes a client that waits for a lock, as its store sees it: one client, however many callers it
 * waits for.
 *
 * @param owner the client in words (host, process, label)
 * @param place its place in the queue, 1 for the first
 * @param share with how many holders at most, itself included, it would coexist: see {@link HolderInfo#share()}
 * @param since when it joined the queue, by the store's clock, or null where it does not say
 */
public record WaiterInfo(
        String owner, int place, int share, @Nullable Instant since) {

    /** Checks the parts. */
    public WaiterInfo {
        Objects.requireNonNull(owner, "owner");
    }

    /** Makes the information on a client that waits for the lock to have it to itself. */
    public WaiterInfo(String owner, int place, @Nullable Instant since) {
        this(owner, place, 1, since);
    }

    /** {@return the client's host, process and label, as far as {@link #owner()} says them} */
    public ClientDescription client() {
        return ClientDescription.parse(owner);
    }
}

package dev.leasehold.inspect;

import dev.leasehold.doctor.NodeAnswer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lock information describes a lock as its store sees it at one moment. For people: it may be different already.
 *
 * @param name the lock's name
 * @param holders who holds it, in the order of their tokens: one, or several that share it; empty if nobody does
 * @param waiters who waits for it, first come first
 * @param disagreement of a store that consists of several nodes, those that did not say the same of the holder, or nothing,
 *     each with what it said; empty if all agree, and for all other stores
 */
public record LockInfo(String name, List<HolderInfo> holders, List<WaiterInfo> waiters, List<NodeAnswer> disagreement) {

    /** Makes the lists unmodifiable. */
    public LockInfo {
        Objects.requireNonNull(name, "name");
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
        disagreement = List.copyOf(disagreement);
    }

    /**
     * Makes the information on a lock that one holder has, or none, and about which all nodes agree.
     *
     * @param name the lock's name
     * @param holder who holds it, or null if nobody does
     * @param waiters who waits for it, first come first
     */
    public LockInfo(String name, @Nullable HolderInfo holder, List<WaiterInfo> waiters) {
        this(name, holder == null ? List.of() : List.of(holder), waiters, List.of());
    }

    /** {@return the holder, the one with the smallest token if several share the lock, or null if nobody holds it} */
    public @Nullable HolderInfo holder() {
        return holders.isEmpty() ? null : holders.get(0);
    }

    /**
     * Returns the same information under another name.
     *
     * @param other the name
     * @return the information
     */
    public LockInfo named(String other) {
        return new LockInfo(other, holders, waiters, disagreement);
    }
}

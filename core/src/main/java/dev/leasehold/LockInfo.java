package dev.leasehold;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lock as its store sees it at one moment. For people: it may be different already.
 *
 * @param name the lock's name
 * @param holder who holds it, or null if nobody does
 * @param waiters who waits for it, first come first
 */
public record LockInfo(String name, @Nullable HolderInfo holder, List<WaiterInfo> waiters) {

    /** Makes the list unmodifiable. */
    public LockInfo {
        Objects.requireNonNull(name, "name");
        waiters = List.copyOf(waiters);
    }
}

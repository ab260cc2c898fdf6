package dev.leasehold.spring;

import dev.leasehold.Lease;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The current lease is the one under which this thread runs just now: that of the innermost method with {@link Locked}
 * or {@link LeaderOnly} that blocks, or body of a {@link LockedTemplate}. It is for methods that cannot have a
 * parameter for it, as those with {@code @Scheduled}.
 */
public final class CurrentLease {

    private static final ThreadLocal<@Nullable Lease> CURRENT = new ThreadLocal<>();

    private CurrentLease() {}

    /** {@return the lease, or empty outside of such methods} Other threads that they start have none. */
    public static Optional<Lease> find() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * Returns the lease.
     *
     * @return the lease, which may be over already
     * @throws IllegalStateException outside of such methods
     */
    public static Lease get() {
        return find().orElseThrow(() -> new IllegalStateException("this thread runs no method under a lock"));
    }

    /** Sets the lease, and returns the one before, which has to be set again. */
    static @Nullable Lease set(@Nullable Lease lease) {
        Lease before = CURRENT.get();
        if (lease == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(lease);
        }
        return before;
    }
}

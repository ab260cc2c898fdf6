package dev.leasehold.engine.queue;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A caller is one call to obtain a lock. The local queue owns the mutable parts. */
public final class Caller {

    private final LockOptions options;
    private final @Nullable Thread owner;

    /** Completes with the lease, with null if the lock is busy, or exceptionally. */
    public final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

    /**
     * This is true if the caller accepts the store's next answer as final: from the start, or because its wait is over.
     */
    boolean tries;

    /** This is the longest wait that the caller has asked for; zero if it has asked for none. */
    public long waitNanos;

    /**
     * This is the thread that blocks on the outcome, if one does. It serves only a warning; the reference is weak so
     * that the thread can be collected.
     */
    public @Nullable WeakReference<Thread> waiter;

    /** The caller belongs to this call; it is set before the caller joins. */
    public @Nullable Asker asker;

    /** This is true for a candidate of an election, which may wait for ever. */
    public boolean stands;

    /** This is whom the caller has waited for, in words, once it is served; null if it found the lock free. */
    public @Nullable Supplier<String> waitedFor;

    /** This is true once the queues have been asked whether the caller's thread waits for itself. */
    boolean asked;

    public long joinedAt;
    long triesSince;
    long number;

    /**
     * Makes a caller. If its hold may not last as long as a lease, it asks for a shorter lease, because a lease that was
     * granted cannot be shortened.
     */
    public Caller(LockOptions options, boolean tries, @Nullable Thread owner) {
        this.options = options.maxHold().compareTo(options.leaseDuration()) < 0
                ? options.withLeaseDuration(options.maxHold())
                : options;
        this.tries = tries;
        this.owner = owner;
    }

    LockOptions options() {
        return options;
    }

    /**
     * Returns the duration of the first lease. It is at least {@code minHold}, so that the lock stays taken for that time
     * even if this process dies at once.
     */
    Duration firstLease() {
        Duration lease = options.leaseDuration();
        return options.minHold().compareTo(lease) > 0 ? options.minHold() : lease;
    }

    /** Returns whether it waits without limit: no answer of the store ends its wait. */
    boolean waitsForEver() {
        return !tries && waitNanos == 0;
    }

    boolean isWaitedForBy(@Nullable Thread thread) {
        WeakReference<Thread> known = waiter;
        return thread != null && known != null && known.get() == thread;
    }

    @Nullable Thread owner() {
        return owner;
    }
}

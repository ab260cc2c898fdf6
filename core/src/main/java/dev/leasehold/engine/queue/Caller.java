package dev.leasehold.engine.queue;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call to obtain a lock. The local queue owns the mutable parts. */
public final class Caller {

    private final LockOptions options;
    private final @Nullable Thread owner;

    /** Completes with the lease, with null if the lock is busy, or exceptionally. */
    public final CompletableFuture<@Nullable Lease> outcome = new CompletableFuture<>();

    /** Whether the caller is content with one answer of the store: from the start, or because its wait is over. */
    boolean tries;

    /** How long the caller wants to wait at most, where it has said so; else zero. */
    public long waitNanos;

    /** The thread that waits for the outcome, if one does; only for a warning, and so that it can be collected. */
    public @Nullable WeakReference<Thread> waiter;

    long joinedAt;
    long number;

    /** A hold that may not last as long as a lease gets a shorter lease: what was granted cannot be taken back. */
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
     * The lease to begin with: no shorter than the lock is to stay taken, so that it stays taken also if this process dies at
     * once.
     */
    Duration firstLease() {
        Duration lease = options.leaseDuration();
        return options.atLeast().compareTo(lease) > 0 ? options.atLeast() : lease;
    }

    boolean isWaitedForBy(@Nullable Thread thread) {
        WeakReference<Thread> known = waiter;
        return thread != null && known != null && known.get() == thread;
    }

    @Nullable Thread owner() {
        return owner;
    }
}

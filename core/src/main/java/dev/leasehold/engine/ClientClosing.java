package dev.leasehold.engine;

import dev.leasehold.LockOptions;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.threads.Callbacks;
import dev.leasehold.internal.DurationText;
import dev.leasehold.spi.Store;
import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A client closing closes a client step by step: it takes no new callers, gives holders their time, then gives the store
 * time to answer what is given back, and closes everything. A lease that is still held after the holders' time is left in
 * the store, where it runs out, because work may go on under it.
 */
public final class ClientClosing {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    /** For the store to answer what was given back at last. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    /** For the store's connections to close after that. */
    private static final Duration SHUTTING = Duration.ofSeconds(3);

    private final Store store;
    private final String storeName;
    private final TimeSource time;
    private final Runnable closeTime;
    private final Callbacks callbacks;
    private final LockQueues queues;
    private final Duration storeTimeout;
    private final Set<Runnable> tellAtClose = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closing = new CompletableFuture<>();
    private final AtomicBoolean shut = new AtomicBoolean();

    /** Leases that were left in the store may last until this time on the monotonic clock. */
    private final AtomicLong leftUntil;

    ClientClosing(
            Store store,
            String storeName,
            TimeSource time,
            Runnable closeTime,
            Callbacks callbacks,
            LockQueues queues,
            Duration storeTimeout) {
        this.store = store;
        this.storeName = storeName;
        this.time = time;
        this.closeTime = closeTime;
        this.callbacks = callbacks;
        this.queues = queues;
        this.storeTimeout = storeTimeout;
        leftUntil = new AtomicLong(time.nanos());
    }

    /**
     * Returns whether closing has begun. This is true before any queue gets its {@code Close}, so that a queue made later
     * knows by itself.
     */
    public boolean isClosed() {
        return closed.get();
    }

    void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException("this Leasehold is closed");
        }
    }

    /** Notes that a queue has gone. */
    void retired() {
        if (isClosed() && queues.isEmpty()) {
            drained.complete(null);
        }
    }

    /** Adds a listener that runs when the client is closed, before the holders learn of it. */
    public void tellAtClose(Runnable listener) {
        tellAtClose.add(listener);
        if (isClosed()) {
            tellAtClose.remove(listener);
            checkOpen();
        }
    }

    public void tellNoMore(Runnable listener) {
        tellAtClose.remove(listener);
    }

    /** Starts to close; the store is closed on a thread of its own, since users' callbacks may block. */
    public CompletableFuture<@Nullable Void> closeAsync(Duration limit) {
        Duration holders = checkedLimit(limit);
        beginToClose();
        drained.whenComplete((done, failure) -> callbacks.executeApart(this::shut));
        if (!drained.isDone()) {
            TimeSource.Timer giveUp = time.schedule(holders, this::abandon);
            TimeSource.Timer last = time.schedule(holders.plus(storeTimeout), () -> drained.complete(null));
            drained.whenComplete((done, failure) -> {
                giveUp.cancel();
                last.cancel();
            });
        }
        return closing;
    }

    /**
     * Closes, and returns soon after the limit, whatever the store does; then the rest goes on in the background. An
     * interrupt ends the wait for the holders, not the moment that the store has for its answers, because the releases would be
     * lost.
     */
    public void close(Duration limit) {
        Duration holders = checkedLimit(limit);
        closeAsync(holders);
        boolean interrupted = !await(drained, holders, true);
        abandon();
        interrupted |= !await(drained, MOMENT, false);
        if (drained.isDone()) {
            interrupted |= !await(closing, SHUTTING, false);
        } else {
            LOG.log(
                    Level.WARNING,
                    "the store {0} did not answer in time; its client goes on to close in the background",
                    storeName);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits up to a limit; returns false after an interrupt. */
    private static boolean await(CompletableFuture<?> what, Duration limit, boolean interruptible) {
        long end = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        while (!(interrupted && interruptible)) {
            try {
                what.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                break;
            }
        }
        return !interrupted;
    }

    private static Duration checkedLimit(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException(
                    "the limit for closing must not be negative, but was " + DurationText.of(limit));
        }
        return limit.compareTo(LockOptions.FOREVER) < 0 ? limit : LockOptions.FOREVER;
    }

    private void beginToClose() {
        if (closed.compareAndSet(false, true)) {
            tellAtClose.forEach(Runnable::run);
            queues.tell(lock -> true, new Event.Close());
            if (queues.isEmpty()) {
                drained.complete(null);
            }
        }
    }

    private void abandon() {
        queues.tell(lock -> true, new Event.Abandon());
    }

    /** Notes that a lease is left in the store because its holder has not ended it. */
    void leaves(long nanosInStore) {
        long end = time.nanos() + nanosInStore;
        leftUntil.accumulateAndGet(end, (one, other) -> one - other > 0 ? one : other);
    }

    void shut() {
        if (!shut.compareAndSet(false, true)) {
            return;
        }
        long left = leftUntil.get() - time.nanos();
        try {
            if (left > 0 && store.closingEndsLeases()) {
                time.schedule(Duration.ofNanos(left), this::shutStore);
            } else {
                shutStore();
            }
        } finally {
            callbacks.close();
            closing.complete(null);
        }
    }

    private void shutStore() {
        try {
            store.close();
        } finally {
            closeTime.run();
        }
    }
}

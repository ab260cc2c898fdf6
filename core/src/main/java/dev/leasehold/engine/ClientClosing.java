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
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client closing closes a client step by step: it takes no new callers, gives holders their time, then gives the store
 * time to answer what is given back, and closes everything. A lease that is still held after the holders' time is left in
 * the store, where it runs out, because work may go on under it.
 */
public final class ClientClosing {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    /** The queues are those of a client, as far as its end is concerned. */
    interface Queues {
        boolean isEmpty();

        void tellAll(Event event);
    }

    private final Store store;
    private final String storeName;
    private final TimeSource time;
    private final Runnable closeTime;
    private final Callbacks callbacks;
    private final Queues queues;
    private final Duration storeTimeout;
    private final Set<Runnable> tellAtClose = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closing = new CompletableFuture<>();
    private final ReentrantLock shutting = new ReentrantLock();

    /** Leases that were left in the store may last until this time on the monotonic clock. */
    private final AtomicLong leftUntil;

    ClientClosing(
            Store store,
            String storeName,
            TimeSource time,
            Runnable closeTime,
            Callbacks callbacks,
            Queues queues,
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

    /** Starts to close; the store is closed on a thread for callbacks, never on one of its own. */
    public CompletableFuture<@Nullable Void> closeAsync(Duration limit) {
        Duration holders = checkedLimit(limit);
        beginToClose();
        TimeSource.Timer giveUp = time.schedule(holders, this::abandon);
        TimeSource.Timer last = time.schedule(holders.plus(storeTimeout), () -> drained.complete(null));
        drained.whenComplete((done, failure) -> {
            giveUp.cancel();
            last.cancel();
            callbacks.executeOwn(this::shut);
        });
        return closing;
    }

    /**
     * Closes on the calling thread. An interrupt ends the wait for the holders, not the one for the store, because the
     * releases would be lost.
     */
    public void close(Duration limit) {
        Duration holders = checkedLimit(limit);
        beginToClose();
        boolean interrupted = false;
        try {
            awaitDrained(holders);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        abandon();
        long end = System.nanoTime() + storeTimeout.toNanos();
        while (!drained.isDone() && !closing.isDone()) {
            try {
                if (!awaitDrained(Duration.ofNanos(end - System.nanoTime()))) {
                    LOG.log(
                            Level.WARNING,
                            "the store {0} did not answer every release before it was closed",
                            storeName);
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        shut();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Duration checkedLimit(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException(
                    "the limit for closing must not be negative, but was " + DurationText.of(limit));
        }
        return limit.compareTo(LockOptions.FOREVER) < 0 ? limit : LockOptions.FOREVER;
    }

    private boolean awaitDrained(Duration limit) throws InterruptedException {
        try {
            CompletableFuture.anyOf(drained, closing).get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void beginToClose() {
        if (closed.compareAndSet(false, true)) {
            tellAtClose.forEach(Runnable::run);
            queues.tellAll(new Event.Close());
            if (queues.isEmpty()) {
                drained.complete(null);
            }
        }
    }

    private void abandon() {
        queues.tellAll(new Event.Abandon());
    }

    /** Notes that a lease is left in the store because its holder has not ended it. */
    void leaves(long nanosInStore) {
        long end = time.nanos() + nanosInStore;
        leftUntil.accumulateAndGet(end, (one, other) -> one - other > 0 ? one : other);
    }

    void shut() {
        shutting.lock();
        try {
            if (closing.isDone()) {
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
        } finally {
            shutting.unlock();
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

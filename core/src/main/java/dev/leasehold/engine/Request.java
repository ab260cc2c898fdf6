package dev.leasehold.engine;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.queue.Caller;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.spi.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request is one call to obtain a lock, on its way: its caller waits for the outcome, or gives it up. */
public final class Request {

    private final Client client;
    private final String lock;
    private final int share;
    private final Caller caller;

    private Request(Client client, String lock, int share, Caller caller) {
        this.client = client;
        this.lock = lock;
        this.share = share;
        this.caller = caller;
    }

    /**
     * Sends the request off.
     *
     * @param maxWait null for without limit
     */
    public static Request send(Client client, String lock, int share, LockOptions options, @Nullable Duration maxWait) {
        return send(client, lock, share, options, maxWait, null, null, Runnable::run);
    }

    /**
     * Sends the request off on a thread that goes on to wait for its outcome.
     *
     * @param maxWait null for without limit
     * @param owner the thread without which the lock is not worth holding, or null
     */
    static Request sendAndWait(
            Client client,
            String lock,
            int share,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread owner) {
        return send(client, lock, share, options, maxWait, owner, Thread.currentThread(), client::runOnCaller);
    }

    private static Request send(
            Client client,
            String lock,
            int share,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread owner,
            @Nullable Thread waiter,
            Executor sending) {
        boolean tries = maxWait != null && (maxWait.isNegative() || maxWait.isZero());
        Caller caller = new Caller(options, tries, owner);
        caller.waiter = waiter == null ? null : new WeakReference<>(waiter);
        boolean waits = maxWait != null && !tries && maxWait.compareTo(LockOptions.FOREVER) < 0;
        if (maxWait != null && waits) {
            caller.waitNanos = maxWait.toNanos();
        }
        Request request = new Request(client, lock, share, caller);
        long sentAt = client.time().nanos();
        try {
            sending.execute(() -> client.post(lock, share, new Event.Join(caller)));
        } catch (Throwable e) {
            request.giveUp();
            throw e;
        }
        if (waiter != null && !caller.outcome.isDone()) {
            client.postBeside(lock, share, new Event.AskedBeside(caller));
        }
        if (maxWait != null && waits && !caller.outcome.isDone()) {
            Duration left = maxWait.minusNanos(client.time().nanos() - sentAt);
            TimeSource.Timer timer =
                    client.time().schedule(left, () -> client.postIfPresent(lock, share, new Event.WaitOver(caller)));
            caller.outcome.whenComplete((lease, failure) -> timer.cancel());
        }
        return request;
    }

    /** Refuses an interrupted thread before anything is sent: the store may keep for atLeast what it has granted. */
    static void refuseInterrupted(String lock) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before '" + lock + "' was acquired");
        }
    }

    /** Waits for the outcome: null if the lock is busy. An interrupt gives the request up. */
    @Nullable HeldLease await() throws InterruptedException {
        client.spin().until(caller.outcome::isDone);
        try {
            return held(caller.outcome.get());
        } catch (InterruptedException e) {
            giveUp();
            throw e;
        } catch (ExecutionException e) {
            throw client.rethrown(e);
        }
    }

    /** Waits for the outcome through all interrupts, and keeps them. */
    @Nullable HeldLease awaitUninterruptibly() {
        boolean interrupted = false;
        client.spin().until(caller.outcome::isDone);
        try {
            while (true) {
                try {
                    return held(caller.outcome.get());
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw client.rethrown(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs code of the engine with the outcome, on whichever thread completes it; never users' code. */
    public void whenDone(BiConsumer<@Nullable HeldLease, @Nullable Throwable> told) {
        caller.outcome.whenComplete((lease, failure) -> told.accept(held(lease), failure));
    }

    /**
     * Returns the lease as what it is: {@link QueueRunner} makes all that callers get, of this type always; the package of
     * the queue does not know it.
     */
    private static @Nullable HeldLease held(@Nullable Lease lease) {
        return (HeldLease) lease;
    }

    public void giveUp() {
        if (caller.outcome.cancel(false)) {
            client.postIfPresent(lock, share, new Event.Leave(caller));
            return;
        }
        if (!caller.outcome.isCompletedExceptionally()) {
            HeldLease lease = held(caller.outcome.getNow(null));
            if (lease != null) {
                lease.hold().notDelivered();
                lease.end();
            }
        }
    }

    /**
     * Returns the outcome as a future for users. It completes on their executor. Completing it early gives the request up,
     * even if it was granted but their executor has not delivered that yet.
     */
    <T> CompletableFuture<T> async(Function<@Nullable HeldLease, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        AtomicReference<@Nullable T> offered = new AtomicReference<>();
        caller.outcome.whenComplete((lease, failure) -> {
            if (!(failure instanceof CancellationException)) {
                client.callbacks().execute(() -> {
                    if (failure != null) {
                        future.completeExceptionally(failure);
                        return;
                    }
                    T value = result.apply(held(lease));
                    offered.set(value);
                    future.complete(value);
                });
            }
        });
        future.whenComplete((value, failure) -> {
            if (value == null || value != offered.get()) {
                giveUp();
            }
        });
        return future;
    }
}

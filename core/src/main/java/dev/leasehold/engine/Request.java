package dev.leasehold.engine;

import dev.leasehold.Lease;
import dev.leasehold.LockOptions;
import dev.leasehold.engine.observation.ObservedCall;
import dev.leasehold.engine.queue.Asker;
import dev.leasehold.engine.queue.Caller;
import dev.leasehold.engine.queue.Event;
import dev.leasehold.engine.threads.Callbacks;
import dev.leasehold.observe.LockCall;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A request is one call to obtain a lock, on its way: its caller waits for the outcome, or gives it up. */
public final class Request implements Asker {

    private final Client client;
    private final LockName lock;
    private final int share;
    private final Caller caller;
    private final @Nullable ObservedCall observed;

    private Request(Client client, LockName lock, int share, Caller caller, @Nullable ObservedCall observed) {
        this.client = client;
        this.lock = lock;
        this.share = share;
        this.caller = caller;
        this.observed = observed;
        caller.asker = this;
    }

    /**
     * Sends the request off.
     *
     * @param maxWait null for without limit
     */
    public static Request send(
            Client client, LockName lock, int share, LockOptions options, @Nullable Duration maxWait) {
        return sendFor(client, lock, share, options, maxWait, null, true);
    }

    /**
     * Sends the request off as a part of a call.
     *
     * @param maxWait null for without limit
     * @param waiter the thread that waits for the whole call, which is warned if it waits for a lease of its own; or null
     * @param here whether this is the caller's thread, where observers may be asked
     */
    public static Request sendFor(
            Client client,
            LockName lock,
            int share,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread waiter,
            boolean here) {
        return send(client, lock, share, options, maxWait, null, waiter, kind(maxWait), here, Runnable::run);
    }

    /** Sends the request of a candidate off, which waits without limit. */
    public static Request stand(Client client, LockName lock, LockOptions options) {
        return send(
                client, lock, Claim.EXCLUSIVE, options, null, null, null, LockCall.Kind.ELECTION, false, Runnable::run);
    }

    private static LockCall.Kind kind(@Nullable Duration maxWait) {
        return maxWait == null || maxWait.compareTo(Duration.ZERO) > 0 ? LockCall.Kind.WAIT : LockCall.Kind.TRY;
    }

    /**
     * Sends the request off on a thread that goes on to wait for its outcome.
     *
     * @param maxWait null for without limit
     * @param owner the thread without which the lock is not worth holding, or null
     */
    static Request sendAndWait(
            Client client,
            LockName lock,
            int share,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread owner) {
        return send(
                client,
                lock,
                share,
                options,
                maxWait,
                owner,
                Thread.currentThread(),
                kind(maxWait),
                true,
                client::runOnCaller);
    }

    private static Request send(
            Client client,
            LockName lock,
            int share,
            LockOptions options,
            @Nullable Duration maxWait,
            @Nullable Thread owner,
            @Nullable Thread waiter,
            LockCall.Kind kind,
            boolean here,
            Executor sending) {
        ObservedCall observed = client.observers().ask(lock.namespace(), lock.own(), share, kind, maxWait, here);
        boolean tries = maxWait != null && (maxWait.isNegative() || maxWait.isZero());
        Caller caller = new Caller(options, tries, owner);
        caller.stands = kind == LockCall.Kind.ELECTION;
        caller.waiter = waiter == null ? null : new WeakReference<>(waiter);
        boolean waits = maxWait != null && !tries && maxWait.compareTo(LockOptions.FOREVER) < 0;
        if (maxWait != null && waits) {
            caller.waitNanos = maxWait.toNanos();
        }
        Request request = new Request(client, lock, share, caller, observed);
        long sentAt = client.time().nanos();
        try {
            sending.execute(() -> client.post(lock.full(), share, new Event.Join(caller)));
        } catch (Throwable e) {
            request.withdraw();
            request.tell(null, e, here);
            throw e;
        }
        if (maxWait != null && waits && !caller.outcome.isDone()) {
            Duration left = maxWait.minusNanos(client.time().nanos() - sentAt);
            TimeSource.Timer timer = client.time()
                    .schedule(left, () -> client.postIfPresent(lock.full(), share, new Event.WaitOver(caller)));
            caller.outcome.whenComplete((lease, failure) -> timer.cancel());
        }
        return request;
    }

    /** Refuses an interrupted thread before anything is sent: the store may keep for minHold what it has granted. */
    static void refuseInterrupted(String lock) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before '" + lock + "' was acquired");
        }
    }

    String name() {
        return lock.full();
    }

    @Override
    public String ownName() {
        return lock.own();
    }

    /** Returns what tells observers of this call; null if there are none. */
    @Nullable ObservedCall observed() {
        return observed;
    }

    /** Waits for the outcome: null if the lock is busy. An interrupt gives the request up. */
    @Nullable HeldLease await() throws InterruptedException {
        client.spin().until(caller.outcome::isDone);
        try {
            return told(held(caller.outcome.get()));
        } catch (InterruptedException e) {
            giveUp(true);
            throw e;
        } catch (ExecutionException e) {
            throw told(client.rethrown(e));
        }
    }

    /** Tells the observers of a lease that the calling thread gets, or of none. */
    private @Nullable HeldLease told(@Nullable HeldLease lease) {
        tell(lease, null, true);
        return lease;
    }

    private RuntimeException told(RuntimeException failure) {
        tell(null, failure, true);
        return failure;
    }

    /** Waits for the outcome through all interrupts, and keeps them. */
    @Nullable HeldLease awaitUninterruptibly() {
        boolean interrupted = false;
        client.spin().until(caller.outcome::isDone);
        try {
            while (true) {
                try {
                    return told(held(caller.outcome.get()));
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw told(client.rethrown(e));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void tell(@Nullable Lease lease, @Nullable Throwable failure, boolean here) {
        if (observed == null || failure instanceof CancellationException) {
            return;
        }
        if (failure != null) {
            observed.failed(failure, here);
        } else if (lease == null) {
            observed.busy(here);
        } else {
            observed.acquired(here);
        }
    }

    /** Runs code of the engine with the outcome, on whichever thread completes it; never users' code. */
    public void whenDone(BiConsumer<@Nullable HeldLease, @Nullable Throwable> told) {
        caller.outcome.whenComplete((lease, failure) -> {
            tell(lease, failure, false);
            told.accept(held(lease), failure);
        });
    }

    /**
     * Returns the lease as what it is: {@link QueueRunner} makes all that callers get, of this type always; the package of
     * the queue does not know it.
     */
    private static @Nullable HeldLease held(@Nullable Lease lease) {
        return (HeldLease) lease;
    }

    /** Gives the request up; does nothing if it has failed. A lease that it was granted is given back. */
    public void giveUp() {
        giveUp(false);
    }

    private void giveUp(boolean here) {
        withdraw();
        if (observed != null) {
            observed.withdrawn(here);
        }
    }

    private void withdraw() {
        if (caller.outcome.cancel(false)) {
            client.postIfPresent(lock.full(), share, new Event.Leave(caller));
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

    /** Returns the outcome as a future for users: see {@link Callbacks#deliver}. */
    <T> CompletableFuture<T> async(Function<@Nullable HeldLease, T> result) {
        return client.callbacks()
                .deliver(
                        caller.outcome,
                        observed == null ? () -> {} : observed::settled,
                        (lease, failure) -> tell(lease, failure, true),
                        lease -> result.apply(held(lease)),
                        this::giveUp);
    }
}

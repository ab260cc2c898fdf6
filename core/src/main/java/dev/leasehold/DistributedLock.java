package dev.leasehold;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A distributed lock is a name that at most one holder may hold at a time, in all processes that use the same store.
 * Thread-safe.
 */
public interface DistributedLock {

    /** {@return the lock's name, without the namespace} */
    String name();

    /** {@return the options, which say how the lock is held} */
    LockOptions options();

    /**
     * Acquires the lock; waits for its holder without limit, and for an unreachable store for the client's store timeout. The
     * lease is renewed for as long as it is held, for 24 hours at most unless {@link LockOptions#maxHold()} says something else.
     *
     * @return the lease, valid
     * @throws StoreUnavailableException if the store did not answer; the lock is not held
     * @throws LockException if the store refused in a way that trying again will not change; the lock is not held
     * @throws InterruptedException if the thread is interrupted
     */
    @CheckReturnValue
    Lease acquire() throws InterruptedException;

    /**
     * Tries once. A store that does not answer is waited for for one second, so that an outage does not take up the
     * callers' threads; one that refuses connections or was found to be down is not waited for at all. Only until the store
     * has answered this client for the first time, while connections are made, is it waited for up to the client's store
     * timeout.
     *
     * @return the lease, valid, or empty if the lock is busy. It holds the lock until it is closed: code that asks only
     *     {@code tryAcquire().isPresent()} has locked out everybody until the lease is collected or reaches its {@code
     *     maxHold}
     * @throws StoreUnavailableException if the store did not answer; the lock is not held
     * @throws LockException if the store refused in a way that trying again will not change; the lock is not held
     * @throws InterruptedException if the thread is interrupted
     */
    @CheckReturnValue
    Optional<Lease> tryAcquire() throws InterruptedException;

    /**
     * Acquires the lock, waiting for its holder up to a limit. A store that does not answer is waited for up to that limit,
     * too, but for one second at least, and up to the client's store timeout if it has never answered this client. Then the
     * call fails: an unreachable store is never reported as a busy lock.
     *
     * @param maxWait how long to wait for the holder; zero or negative means one try, huge values mean without limit
     * @return the lease, valid, or empty if the lock is busy
     * @throws StoreUnavailableException if the store did not answer; the lock is not held
     * @throws LockException if the store refused in a way that trying again will not change; the lock is not held
     * @throws InterruptedException if the thread is interrupted
     */
    @CheckReturnValue
    Optional<Lease> tryAcquire(Duration maxWait) throws InterruptedException;

    /**
     * Acquires the lock without blocking the caller. Completing the future early in any way (cancelling it, a time-out,
     * completing it by hand) withdraws the claim; a lease granted at that very moment is released. Giving up the wait is
     * different: after {@code acquireAsync().get(timeout)} has timed out, and after a dependent stage was cancelled, this
     * future still acquires the lock, so cancel it, or use {@link CompletableFuture#orTimeout}, or {@link
     * #tryAcquireAsync}.
     *
     * @return completes with the lease, or exceptionally as {@link #acquire()} throws. Dependent actions without an
     *     executor of their own run on the client's executor
     */
    @CheckReturnValue
    CompletableFuture<Lease> acquireAsync();

    /**
     * Acquires the lock as {@link #tryAcquire(Duration)} does, without blocking the caller; for early completion see {@link
     * #acquireAsync()}.
     *
     * @param maxWait how long to wait for the holder
     * @return completes with the lease, or empty if the lock is busy, or exceptionally
     */
    @CheckReturnValue
    CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration maxWait);

    /**
     * Acquires the lock, runs the body, releases the lock.
     *
     * @param body what to run
     * @param <E> what the body may throw
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    <E extends Exception> void run(LeaseBody<E> body) throws E, InterruptedException;

    /**
     * Acquires the lock, runs the body, releases the lock, and returns the body's result.
     *
     * @param body what to run
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    <T extends @Nullable Object, E extends Exception> T call(LeaseFunction<T, E> body) throws E, InterruptedException;

    /**
     * Calls the body as {@link #call(LeaseFunction)} does, waiting for the holder up to a limit.
     *
     * @param maxWait how long to wait for the holder
     * @param body what to run
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LockBusyException if the lock is busy; the body has not run
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    <T extends @Nullable Object, E extends Exception> T call(Duration maxWait, LeaseFunction<T, E> body)
            throws E, InterruptedException;

    /**
     * Runs the body as {@link #run} does, waiting for the holder up to a limit.
     *
     * @param maxWait how long to wait for the holder
     * @param body what to run
     * @param <E> what the body may throw
     * @return whether the body has run; false if the lock is busy
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    @CheckReturnValue
    <E extends Exception> boolean tryRun(Duration maxWait, LeaseBody<E> body) throws E, InterruptedException;
}

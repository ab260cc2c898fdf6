package dev.leasehold;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
     * too, but for one second at least and for the client's store timeout at most; up to that timeout if it has never answered
     * this client. Then the call fails: an unreachable store is never reported as a busy lock.
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
     * Calls the body as {@link #call(LeaseFunction)} does, waiting for the holder up to a limit; fails if the lock is busy then.
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
    <T extends @Nullable Object, E extends Exception> T callOrThrow(Duration maxWait, LeaseFunction<T, E> body)
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

    /**
     * Runs the body as {@link #run} does if the lock is free: tries once, as {@link #tryAcquire()} does.
     *
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
    <E extends Exception> boolean tryRun(LeaseBody<E> body) throws E, InterruptedException;

    /**
     * Calls the body as {@link #call(LeaseFunction)} does if the lock is free: tries once, as {@link #tryAcquire()} does.
     *
     * @param body what to run; must not return null, which could not be told from a busy lock
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result, or empty if the lock is busy and the body has not run
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws NullPointerException if the body has returned null; it has run, and the lock is released
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    @CheckReturnValue
    <T, E extends Exception> Optional<T> tryCall(LeaseFunction<T, E> body) throws E, InterruptedException;

    /**
     * Calls the body as {@link #tryCall(LeaseFunction)} does, waiting for the holder up to a limit.
     *
     * @param maxWait how long to wait for the holder
     * @param body what to run; must not return null, which could not be told from a busy lock
     * @param <T> the body's result
     * @param <E> what the body may throw
     * @return the body's result, or empty if the lock is busy and the body has not run
     * @throws E what the body has thrown; if the lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally on a lost lease, or because it was interrupted on its loss
     *     ({@link LockOptions#interruptOnLoss()}), with the {@link InterruptedException} as suppressed
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws NullPointerException if the body has returned null; it has run, and the lock is released
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    @CheckReturnValue
    <T, E extends Exception> Optional<T> tryCall(Duration maxWait, LeaseFunction<T, E> body)
            throws E, InterruptedException;

    /**
     * Acquires the lock without blocking the caller, calls the body, and releases the lock when the stage that the body has
     * returned completes, however it completes. Waits for the holder without limit, as {@link #acquireAsync()} does.
     *
     * <p>The body is called on the client's executor and must not block there; an executor of yours
     * ({@code CompletableFuture.supplyAsync(…, executor)}) is the place for long work. The lock is not bound to a
     * thread: it is held until the stage completes, whichever thread completes it. A stage that never completes holds
     * it up to {@link LockOptions#maxHold()}, or until the stage is collected.
     *
     * <p>Completing the future early in any way (cancelling it, a time-out) withdraws the claim, and the body is not called. If
     * it has been called already, the lock is held until its stage has completed; the stage is not cancelled, because a
     * cancelled {@link CompletableFuture} counts as completed while its work goes on. If the lease is lost and {@link
     * LockOptions#interruptOnLoss()} is on, the stage is cancelled ({@code stage.toCompletableFuture().cancel(true)}, which
     * does nothing to a stage that cannot be cancelled).
     *
     * @param body what to run; called once the lock is held
     * @param <T> the result of the body's stage
     * @return completes when the lock has been released, or after one second of waiting for the store to answer the release:
     *     with the result of the stage; or exceptionally with what the body has thrown or its stage has failed with (if the
     *     lease was lost, with a {@link LeaseLostException} as suppressed), with {@link LeaseLostException} if the stage
     *     completed normally, or was cancelled for the loss, on a lost lease, or as {@link #acquireAsync()} does. Dependent
     *     actions without an executor of their own run on the client's executor
     */
    @CheckReturnValue
    <T extends @Nullable Object> CompletableFuture<T> callAsync(LeaseFunction<? extends CompletionStage<T>, ?> body);

    /**
     * Calls the body as {@link #callAsync(LeaseFunction)} does, waiting for the holder up to a limit, as {@link
     * #tryAcquireAsync} does.
     *
     * @param maxWait how long to wait for the holder
     * @param body what to run; called once the lock is held
     * @param <T> the result of the body's stage
     * @return completes as there, or exceptionally with {@link LockBusyException} if the lock is busy and the body has not been called
     */
    @CheckReturnValue
    <T extends @Nullable Object> CompletableFuture<T> callOrThrowAsync(
            Duration maxWait, LeaseFunction<? extends CompletionStage<T>, ?> body);
}

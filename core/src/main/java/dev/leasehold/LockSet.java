package dev.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock set is several locks that are acquired together: all of them, or none. Immutable and thread-safe.
 *
 * <p>Two sets never wait for each other in a circle, nor do a set and a single lock, in whichever order their names were
 * given: while a set waits for one of its names it holds only names that stand before it in one order for all. Locks that you
 * nest by hand have no such order, and are not covered. There is no order of service between sets: each name has one.
 *
 * <p>{@link LockOptions#maxHold()} and {@link LockOptions#minHold()} count from the moment at which the set is complete.
 */
public interface LockSet {

    /**
     * Adds names that nobody else may hold meanwhile. A name that was added as shared becomes exclusive.
     *
     * @param names locks' names, as for {@link Leasehold#lock(String)}
     * @return a set of these names, too
     * @throws IllegalArgumentException if a name is empty, too long or has a forbidden character
     */
    @CheckReturnValue
    LockSet exclusive(String... names);

    /**
     * Adds names that other readers may hold meanwhile: see {@link DistributedReadWriteLock#read()}. A name that was added as
     * exclusive stays so.
     *
     * @param names locks' names, as for {@link Leasehold#lock(String)}
     * @return a set of these names, too
     * @throws IllegalArgumentException if a name is empty, too long or has a forbidden character
     * @throws UnsupportedOperationException if the store has no readers, with the reason
     */
    @CheckReturnValue
    LockSet shared(String... names);

    /**
     * Changes the options.
     *
     * @param options how the set is held
     * @return the same names with these options
     * @throws IllegalArgumentException if the store does not grant leases as long as the options ask for
     */
    @CheckReturnValue
    LockSet withOptions(LockOptions options);

    /** {@return the names, each once, in the order in which they are waited for} */
    List<String> names();

    /** {@return the options, which say how the set is held} */
    LockOptions options();

    /**
     * Acquires all names; waits for holders without limit, and for an unreachable store for the client's store timeout.
     *
     * @return the leases, all valid
     * @throws StoreUnavailableException if the store did not answer; nothing is held
     * @throws LockException if the store refused in a way that trying again will not change; nothing is held
     * @throws IllegalStateException if there is no name in the set
     * @throws InterruptedException if the thread is interrupted; nothing is held
     */
    @CheckReturnValue
    LeaseSet acquire() throws InterruptedException;

    /**
     * Tries once.
     *
     * @return the leases, all valid, or empty if one of the names is busy
     * @throws StoreUnavailableException if the store did not answer; nothing is held
     * @throws LockException as {@link #acquire()}
     * @throws IllegalStateException if there is no name in the set
     * @throws InterruptedException if the thread is interrupted; nothing is held
     */
    @CheckReturnValue
    Optional<LeaseSet> tryAcquire() throws InterruptedException;

    /**
     * Acquires all names, waiting for holders up to a limit: one for the whole.
     *
     * @param maxWait how long to wait; zero or negative means one try, huge values mean without limit
     * @return the leases, all valid, or empty if one of the names is busy
     * @throws StoreUnavailableException if the store did not answer; nothing is held
     * @throws LockException as {@link #acquire()}
     * @throws IllegalStateException if there is no name in the set
     * @throws InterruptedException if the thread is interrupted; nothing is held
     */
    @CheckReturnValue
    Optional<LeaseSet> tryAcquire(Duration maxWait) throws InterruptedException;

    /**
     * Acquires all names without blocking the caller. Completing the future early in any way gives everything back.
     *
     * @return completes with the leases, or exceptionally as {@link #acquire()} throws
     */
    @CheckReturnValue
    CompletableFuture<LeaseSet> acquireAsync();

    /**
     * Acquires all names as {@link #tryAcquire(Duration)} does, without blocking the caller.
     *
     * @param maxWait how long to wait
     * @return completes with the leases, or empty if one of the names is busy, or exceptionally
     */
    @CheckReturnValue
    CompletableFuture<Optional<LeaseSet>> tryAcquireAsync(Duration maxWait);

    /**
     * Acquires all names, runs the body, releases them.
     *
     * @param body what to run
     * @param <E> what the body may throw
     * @throws E what the body has thrown; if a lease was lost, with a {@link LeaseLostException} as suppressed
     * @throws LeaseLostException if the body ended normally and one of the leases was lost, or because it was interrupted on
     *     the loss ({@link LockOptions#interruptOnLoss()})
     * @throws StoreUnavailableException if the store did not answer; the body has not run
     * @throws InterruptedException if the thread is interrupted while waiting; the body has not run
     */
    <E extends Exception> void run(Body<E> body) throws E, InterruptedException;

    /**
     * A body is code to run under a set.
     *
     * @param <E> what it may throw
     */
    @FunctionalInterface
    interface Body<E extends Exception> {

        /**
         * Runs the code.
         *
         * @param leases the leases under which it runs; released afterwards
         * @throws E if it fails
         */
        void run(LeaseSet leases) throws E;
    }
}

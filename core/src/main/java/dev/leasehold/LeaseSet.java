package dev.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A lease set is the right to all locks of a {@link LockSet} at a time. It is valid while each of them is, and lost when one
 * is lost; the others stay held until it is released, for work may go on under them. Thread-safe.
 */
public interface LeaseSet extends AutoCloseable {

    /** {@return the names of the locks, in the order in which they were waited for} */
    List<String> names();

    /**
     * Returns the fencing token of one lock.
     *
     * @param name one of the names
     * @return its token, as {@link Lease#token()}
     * @throws IllegalArgumentException if the name is not in the set
     */
    long token(String name);

    /** {@return the worst state of all its leases as it is known now} Never blocks. */
    LeaseState state();

    /** {@return whether all locks may be relied on now} Never blocks. */
    default boolean isValid() {
        return state().isValid();
    }

    /** {@return the name of a lock whose lease is lost, the first one in the order of names; empty if none is} */
    Optional<String> lost();

    /** {@return how long all are valid from now on, if nothing is heard from the store any more; zero if one is not} */
    Duration remaining();

    /**
     * Checks that all leases are valid; does nothing if they are.
     *
     * @throws LeaseLostException if one is not valid, and which
     */
    void ensureValid();

    /**
     * Returns a stage that completes when one lease is lost, with {@link LeaseState#LOST}, or when all are released, with
     * {@link LeaseState#RELEASED}. Dependent actions without an executor of their own run on the client's executor.
     *
     * @return the stage
     */
    CompletionStage<LeaseState> ended();

    /**
     * Ends all holds at once and waits for the store.
     *
     * @return {@link LeaseState#RELEASED} if all locks were held until now, {@link LeaseState#LOST} if one had been lost
     * @throws StoreUnavailableException if the store did not answer within the client's store timeout; the holds are over,
     *     the releases go on in the background
     * @throws InterruptedException if the thread is interrupted while waiting; the holds are over
     */
    LeaseState release() throws InterruptedException;

    /** Ends all holds at once, waits a moment for the store and leaves the rest to the background. Idempotent, never throws. */
    @Override
    void close();
}

package dev.leasehold;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A lease is the right to a lock until a deadline. Not bound to a thread: any thread may use, extend and release it.
 * Thread-safe.
 *
 * <p>Its state comes from this machine's own clock: {@link #isValid()} needs no network, no answer and no live renewal
 * thread to become false in time. The lease is renewed in the background for as long as something references it; an object
 * that was dropped without being released is no longer renewed and runs out.
 */
public interface Lease extends AutoCloseable {

    /** {@return the lock's name, without the namespace} */
    String name();

    /**
     * Returns the fencing token: greater than that of every hold of this lock granted earlier. Give it to the resource that
     * the lock protects, so that the resource can refuse a holder that does not know yet that it has lost the lock.
     *
     * @return a positive number below 2<sup>63</sup>
     */
    long token();

    /**
     * Returns whether nobody else may hold the lock beside this lease. Never blocks.
     *
     * @return false for a permit of a semaphore, for a reader, and for a writer that has been {@linkplain #downgrade()
     *     downgraded}
     */
    default boolean isExclusive() {
        return true;
    }

    /**
     * Returns the slot of a permit: a number from 0 to the semaphore's permits less one that no other valid permit has, the
     * smallest that was free when it was granted. It stays the same for as long as the lease is held. Never blocks.
     *
     * @return empty for all but permits of a semaphore
     */
    default OptionalInt slot() {
        return OptionalInt.empty();
    }

    /**
     * Makes a reader of a writer, without letting another writer in between, and waits for the answer. The lease is renewed
     * by that and keeps its token. It counts as a reader's from the call on, also if no answer comes: the request is
     * repeated in the background then, until it is answered or the lease is over. Does nothing if it is a reader's already.
     *
     * @throws LeaseLostException if the lease is over: somebody else may have the lock
     * @throws StoreUnavailableException if the store did not answer within the client's store timeout; the lease is what
     *     its {@link #state()} says, and a reader's
     * @throws UnsupportedOperationException if the store cannot do that, with the reason; the lease is exclusive as before
     * @throws IllegalStateException if this is a permit of a semaphore
     * @throws InterruptedException if the thread is interrupted while waiting; the lease is a reader's
     */
    default void downgrade() throws InterruptedException {
        throw new UnsupportedOperationException("this lease cannot be downgraded");
    }

    /** {@return the state of the lease as it is known now} Never blocks. */
    LeaseState state();

    /**
     * Returns whether the lock may be relied on now. Never blocks. A lease that was seen to be over stays so.
     *
     * @return true in the states {@link LeaseState#HELD} and {@link LeaseState#AT_RISK}
     */
    default boolean isValid() {
        return state().isValid();
    }

    /**
     * Returns how long the lease is valid from now on, if nothing is heard from the store any more. Never blocks.
     *
     * @return zero if it is not valid
     */
    Duration remaining();

    /**
     * Checks that the lease is valid; does nothing if it is.
     *
     * @throws LeaseLostException if it is not valid, for whatever reason: lost, released, or not confirmed
     */
    void ensureValid();

    /**
     * Returns whether somebody else waits for the lock, so that a holder that can pause may give it back. Advisory: callers of
     * this process are known at once; of other processes the client learns from the store's answers to renewals, where the
     * store tells it, so up to a third of the lease later, and from some stores never. Never blocks.
     *
     * @return false if nobody is known to wait, or the lease is over
     */
    boolean isContended();

    /**
     * Renews the lease now, for the given time, and waits for the answer. Never shortens it. Later renewals go on with the
     * lock's lease duration.
     *
     * @param duration how long the lease should last from now, 100 ms to 36,500 days; cut to what is left of {@code
     *     maxHold}
     * @return {@link #remaining()} after the answer
     * @throws LeaseLostException if the lease is over: somebody else may have the lock
     * @throws StoreUnavailableException if the store did not answer within the client's store timeout; the lease is what
     *     its {@link #state()} says
     * @throws IllegalArgumentException if the duration is out of its range or more than the store grants
     * @throws InterruptedException if the thread is interrupted while waiting; the renewal may or may not happen
     */
    Duration extend(Duration duration) throws InterruptedException;

    /**
     * Adds a listener, which is notified of each change of state from now on, in order, on the client's executor. If the
     * lease is over already, the listener is notified of that at once.
     *
     * @param listener the listener
     */
    void addListener(LeaseListener listener);

    /**
     * Removes a listener, which is not notified of any change that comes from now on. A call that is on its way to it
     * already may still arrive. Does nothing if it was never added; one that was added twice is notified once from now on.
     *
     * @param listener the very object that was added
     */
    void removeListener(LeaseListener listener);

    /**
     * Returns a stage that completes when the lease is over, with {@link LeaseState#LOST} or {@link LeaseState#RELEASED};
     * the first no later than the deadline. Dependent actions without an executor of their own run on the client's
     * executor.
     *
     * @return the stage
     */
    CompletionStage<LeaseState> ended();

    /**
     * Ends the hold at once and waits for the store. Repeating it returns the same again.
     *
     * @return {@link LeaseState#RELEASED} if the lock was held until now, {@link LeaseState#LOST} if it had been lost
     *     before
     * @throws StoreUnavailableException if the store did not answer within the client's store timeout. The hold is over,
     *     the release goes on in the background, and the lease runs out at the latest
     * @throws InterruptedException if the thread is interrupted while waiting. The hold is over, the release goes on in
     *     the background
     */
    LeaseState release() throws InterruptedException;

    /**
     * Ends the hold at once and releases it in the store in the background.
     *
     * @return completes as {@link #release()} returns
     */
    CompletableFuture<LeaseState> releaseAsync();

    /**
     * Ends the hold at once, waits for the store for one second at most and leaves the rest to the background.
     * Idempotent, never throws; an interrupt does not end that second, and is kept. The log has each
     * loss already: as a warning, after ten in a minute at DEBUG.
     */
    @Override
    void close();
}

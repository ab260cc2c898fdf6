package dev.leasehold;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A reentrant distributed lock is a distributed lock behind {@link Lock}: owned by the thread that has acquired it, which
 * may acquire it again. The owner is the {@link Thread} object within its client, never a thread id, so virtual threads are
 * as good as others. Re-entry costs no network and keeps the token. Two objects for one name of one client are one lock.
 * Thread-safe.
 *
 * <p>The lock is renewed for as long as its owner thread lives, up to {@code maxHold}. Like every distributed lock it can
 * be lost while it is held: {@link #isHeldByCurrentThread()} and {@link #lease()} show that, and {@link #unlock()} throws
 * then.
 *
 * <p>Where the store fails, the methods throw as those of {@link DistributedLock} do; the lock is not held then.
 */
public interface ReentrantDistributedLock extends Lock {

    /** {@return the lock's name, without the namespace} */
    String name();

    /**
     * Acquires the lock; waits for its holder without limit, and for an unreachable store for the client's store timeout.
     * An interrupt does not end the wait; it is kept.
     *
     * @throws LeaseLostException if this thread owns the lock but has lost it; the hold count is unchanged
     * @throws StoreUnavailableException if the store did not answer
     */
    @Override
    void lock();

    /**
     * Acquires the lock as {@link #lock()} does, but an interrupt ends the wait.
     *
     * @throws LeaseLostException as {@link #lock()}
     * @throws InterruptedException if the thread is interrupted; the lock was not acquired
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Tries once. An interrupt does not end the wait for the store's answer; it is kept.
     *
     * @return whether the lock is held now
     * @throws LeaseLostException as {@link #lock()}
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock as {@link #lockInterruptibly()} does, waiting for the holder up to a limit.
     *
     * @param time how long to wait; zero or negative means one try
     * @param unit its unit
     * @return whether the lock is held now
     * @throws LeaseLostException as {@link #lock()}
     * @throws InterruptedException if the thread is interrupted; the lock was not acquired
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Undoes one acquisition; the last one releases the lock and waits for the store as {@link Lease#close()} does.
     *
     * @throws IllegalMonitorStateException if the calling thread does not own the lock; caused by a {@link
     *     LeaseLostException} if it did but the lock was lost. The hold count is reduced in that case too
     */
    @Override
    void unlock();

    /**
     * Conditions are not supported.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();

    /** {@return whether the calling thread owns the lock and the lease is valid} */
    boolean isHeldByCurrentThread();

    /**
     * Returns how many acquisitions of the calling thread have not been undone.
     *
     * @return zero if it does not own the lock; does not change when the lock is lost
     */
    int holdCount();

    /**
     * Returns the lease by which the calling thread owns the lock: for its token and state. Releasing it releases the lock,
     * whatever the hold count: the thread still has to undo its acquisitions, and {@link #unlock()} throws then as after a
     * loss. A {@link Leasehold#lock(String) lock} of the same name is the same lock: it waits for this thread too.
     *
     * @return the lease
     * @throws IllegalMonitorStateException if the calling thread does not own the lock
     */
    Lease lease();
}

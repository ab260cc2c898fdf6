package dev.leasehold.spring.integration;

import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.ReentrantDistributedLock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry by which Spring Integration takes its locks from Leasehold. The name of a lock is the key's text behind the
 * prefix, so it can be read where locks are listed. There is no cache: lock objects of one key are equal, and interchangeable. Thread-safe.
 *
 * <p>A lock is owned by a thread and re-entrant. Its lease is renewed for as long as it is held; one that is locked with a
 * time to live is not renewed, unless by {@link #renewLock}; one below 100 ms counts as 100 ms. {@code unlock} throws {@link IllegalMonitorStateException} in a
 * thread that does not own the lock, and, with the cause, after a loss. A store that does not answer makes a method fail with a
 * {@link LockException}.
 */
public final class LeaseholdLockRegistry implements RenewableLockRegistry<DistributedLock> {

    private final Leasehold leasehold;
    private final String prefix;

    /**
     * Makes a registry.
     *
     * @param leasehold the client; never closed here
     * @param prefix what the names of its locks begin with; may be empty
     */
    public LeaseholdLockRegistry(Leasehold leasehold, String prefix) {
        this.leasehold = Objects.requireNonNull(leasehold, "leasehold");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    private String name(Object key) {
        return prefix + Objects.requireNonNull(key, "key");
    }

    @Override
    public DistributedLock obtain(Object key) {
        return new KeyLock(name(key));
    }

    /**
     * Renews a lock now for as long as the client's leases usually last.
     *
     * @throws IllegalStateException if this thread does not hold it
     */
    @Override
    public void renewLock(Object key) {
        renewLock(key, leasehold.lock(name(key)).options().leaseDuration());
    }

    /**
     * Renews a lock now.
     *
     * @param key the lock's key
     * @param ttl how long it is to last from now; never shortened
     * @throws IllegalStateException if this thread does not hold it
     */
    @Override
    public void renewLock(Object key, Duration ttl) {
        ReentrantDistributedLock lock = leasehold.reentrantLock(name(key));
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("the lock '" + lock.name() + "' is not held by this thread");
        }
        try {
            lock.lease().extend(leaseOf(ttl));
        } catch (LeaseLostException e) {
            throw new IllegalStateException("the lock '" + lock.name() + "' is not held any more", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException(
                    "the thread was interrupted while it renewed '" + lock.name()
                            + "'; the lock is held as long as before",
                    e);
        }
    }

    @Override
    public String toString() {
        return "LeaseholdLockRegistry[" + prefix + "*, " + leasehold + "]";
    }

    private final class KeyLock implements DistributedLock {

        private final ReentrantDistributedLock lock;

        KeyLock(String name) {
            lock = leasehold.reentrantLock(name);
        }

        private ReentrantDistributedLock lasting(Duration ttl) {
            LockOptions options = LockOptions.defaults()
                    .withLeaseDuration(leaseOf(ttl))
                    .withAutoRenew(false)
                    .withMaxHold(LockOptions.FOREVER);
            return leasehold.reentrantLock(lock.name(), options);
        }

        @Override
        public void lock(Duration ttl) {
            lasting(ttl).lock();
        }

        @Override
        public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
            return lasting(ttl).tryLock(saturated(wait), TimeUnit.NANOSECONDS);
        }

        @Override
        public void lock() {
            lock.lock();
        }

        @Override
        public void lockInterruptibly() throws InterruptedException {
            lock.lockInterruptibly();
        }

        @Override
        public boolean tryLock() {
            return lock.tryLock();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
            return lock.tryLock(time, unit);
        }

        @Override
        public void unlock() {
            lock.unlock();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException("locks in several processes have no conditions");
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof KeyLock same
                    && same.registry() == registry()
                    && same.lock.name().equals(lock.name());
        }

        private LeaseholdLockRegistry registry() {
            return LeaseholdLockRegistry.this;
        }

        @Override
        public int hashCode() {
            return lock.name().hashCode();
        }

        @Override
        public String toString() {
            return lock.toString();
        }
    }

    private static Duration leaseOf(Duration ttl) {
        return ttl.compareTo(LockOptions.SHORTEST_LEASE) < 0 ? LockOptions.SHORTEST_LEASE : ttl;
    }

    private static long saturated(Duration wait) {
        try {
            return wait.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}

package dev.leasehold.engine;

import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.LockOptions;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A thread lock is a lock owned by threads: the client keeps the lease of each under the lock's name and the thread. */
final class ThreadLock implements ReentrantDistributedLock {

    private final Client client;
    private final ThreadHolds holds;
    private final LockName name;
    private final LockOptions options;

    ThreadLock(Client client, ThreadHolds holds, LockName name, LockOptions options) {
        this.client = client;
        this.holds = holds;
        this.name = name;
        this.options = options;
    }

    @Override
    public String name() {
        return name.own();
    }

    private Request request(@Nullable Duration maxWait) {
        return Request.sendAndWait(client, name, Claim.EXCLUSIVE, options, maxWait, Thread.currentThread());
    }

    @Override
    public void lock() {
        if (!holds.reenter(name.full())) {
            holds.enter(name.full(), request(null).awaitUninterruptibly());
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        Request.refuseInterrupted(name.full());
        if (!holds.reenter(name.full())) {
            holds.enter(name.full(), request(null).await());
        }
    }

    @Override
    public boolean tryLock() {
        return holds.reenter(name.full())
                || holds.enter(name.full(), request(Duration.ZERO).awaitUninterruptibly());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Request.refuseInterrupted(name.full());
        Duration maxWait = Duration.ofNanos(unit.toNanos(time));
        return holds.reenter(name.full())
                || holds.enter(name.full(), request(maxWait).await());
    }

    @Override
    public void unlock() {
        holds.leave(name.full());
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        HeldLease lease = holds.lease(name.full());
        return lease != null && lease.isValid();
    }

    @Override
    public int holdCount() {
        return holds.count(name.full());
    }

    @Override
    public Lease lease() {
        HeldLease lease = holds.lease(name.full());
        if (lease == null) {
            throw new IllegalMonitorStateException("this thread does not own the lock '" + name + "'");
        }
        return lease;
    }

    @Override
    public String toString() {
        HeldLease lease = holds.lease(name.full());
        LeaseState state = lease == null ? null : lease.look();
        return "ReentrantDistributedLock[" + name + " in " + client + ", "
                + (state == null ? "not owned by this thread" : state + " by this thread") + "]";
    }
}

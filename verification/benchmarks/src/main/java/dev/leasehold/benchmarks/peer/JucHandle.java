package dev.leasehold.benchmarks.peer;

import java.util.concurrent.locks.Lock;

/** A JUC handle uses a lock that looks like Java's own. */
record JucHandle(Lock lock) implements LockHandle {

    @Override
    public void acquire() {
        lock.lock();
    }

    @Override
    public void release() {
        lock.unlock();
    }
}

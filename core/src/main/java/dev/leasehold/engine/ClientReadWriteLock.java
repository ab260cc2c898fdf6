package dev.leasehold.engine;

import dev.leasehold.DistributedLock;
import dev.leasehold.DistributedReadWriteLock;

/** A client read-write lock is a lock without limit and an exclusive one of the same name. */
record ClientReadWriteLock(DistributedLock read, DistributedLock write) implements DistributedReadWriteLock {

    @Override
    public String name() {
        return read.name();
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + name() + "]";
    }
}

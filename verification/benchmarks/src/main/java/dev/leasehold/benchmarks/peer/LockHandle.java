package dev.leasehold.benchmarks.peer;

/** A lock handle is a lock as one thread takes it and gives it back, again and again. */
public interface LockHandle {

    /** Acquires the lock, waiting as long as it takes. */
    void acquire() throws Exception;

    /** Releases it, and waits until the store has said that it did. */
    void release() throws Exception;
}

package dev.leasehold.benchmarks.peer;

/** A lock client is one library's connections to one store, in one process. */
public interface LockClient extends AutoCloseable {

    /** Returns a handle of a mutex. */
    LockHandle lock(String name) throws Exception;

    /** Returns a handle of a semaphore with so many permits. */
    default LockHandle permit(String name, int permits) throws Exception {
        throw new UnsupportedOperationException("no semaphores");
    }

    /** Returns a handle of a reader. */
    default LockHandle read(String name) throws Exception {
        throw new UnsupportedOperationException("no readers");
    }

    /** Returns a handle of a writer. */
    default LockHandle write(String name) throws Exception {
        throw new UnsupportedOperationException("no writers");
    }

    @Override
    void close() throws Exception;
}

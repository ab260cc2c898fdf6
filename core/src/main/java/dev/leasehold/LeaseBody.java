package dev.leasehold;

/**
 * Code to run under a lock.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LeaseBody<E extends Exception> {

    /**
     * Runs.
     *
     * @param lease the lease under which it runs; released afterwards
     * @throws E if it fails
     */
    void run(Lease lease) throws E;
}

package dev.leasehold;

/**
 * A lease body is code to run under a lock.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LeaseBody<E extends Exception> {

    /**
     * Runs the code.
     *
     * @param lease the lease under which it runs; released afterwards
     * @throws E if it fails
     */
    void run(Lease lease) throws E;
}

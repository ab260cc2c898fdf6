package dev.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * A lease function is code to run under a lock, with a result.
 *
 * @param <T> its result
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LeaseFunction<T extends @Nullable Object, E extends Exception> {

    /**
     * Runs the code.
     *
     * @param lease the lease under which it runs; released afterwards
     * @return the result
     * @throws E if it fails
     */
    T call(Lease lease) throws E;
}

package dev.leasehold.benchmarks.worker;

/**
 * A grant is what its holder saw of it.
 *
 * @param asked when it began to wait, in nanoseconds
 * @param given when it had the lock
 * @param releasing when it began to release it
 */
public record Grant(long asked, long given, long releasing, int process, int thread, boolean writer) {}

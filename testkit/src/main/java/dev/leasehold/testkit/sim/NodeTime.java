package dev.leasehold.testkit.sim;

/**
 * What a node's clocks say.
 *
 * @param micros the clock by which leases end, in microseconds
 * @param wallMicros the clock from which tokens are made, in microseconds since 1970
 */
public record NodeTime(long micros, long wallMicros) {}

package dev.leasehold.simulator;

/**
 * A node time is a reading of a node's clocks.
 *
 * @param micros the clock by which leases end, in microseconds
 * @param wallMicros the clock from which tokens are made, in microseconds since 1970
 */
public record NodeTime(long micros, long wallMicros) {}

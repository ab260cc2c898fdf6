package dev.leasehold.benchmarks.worker;

import java.util.List;

/**
 * A turn is what the processes of one contestant did while it was theirs.
 *
 * @param grants sorted by when they were given
 * @param start when the turn began, in nanoseconds
 * @param end when threads stopped asking
 * @param cycles of acquire and release, also those that were still under way at the end
 * @param clientCpu processor time of the processes, in nanoseconds
 * @param bytes that their threads have allocated
 * @param compiling how long their compilers have worked since the end of the turn before, also while others had theirs; in
 *     milliseconds, negative if it is not known
 */
public record Turn(List<Grant> grants, long start, long end, long cycles, long clientCpu, long bytes, long compiling) {}

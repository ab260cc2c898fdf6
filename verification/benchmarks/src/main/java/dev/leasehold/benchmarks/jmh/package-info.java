/** These benchmarks measure by JMH what the engine costs inside one process, on the store in memory. */
@NullMarked
package dev.leasehold.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;

/** What the engine costs inside one process, measured by JMH on the store in memory. */
@NullMarked
package dev.leasehold.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;

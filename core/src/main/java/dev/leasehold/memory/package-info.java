/** This package is the store in this JVM's memory, {@code memory:}. For tests, and for a single process. */
@NullMarked
package dev.leasehold.memory;

import org.jspecify.annotations.NullMarked;

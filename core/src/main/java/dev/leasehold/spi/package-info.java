/**
 * What a store implements and what it may use: asynchronous, few operations, each safe to repeat.
 *
 * <p>A store knows nothing of threads, of this process's callers, or of re-entry. Start at {@link
 * dev.leasehold.spi.Store}; the suite that every store has to pass is in the artifact {@code leasehold-testkit}.
 */
@NullMarked
package dev.leasehold.spi;

import org.jspecify.annotations.NullMarked;

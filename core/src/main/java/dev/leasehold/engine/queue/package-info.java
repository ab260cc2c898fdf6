/**
 * The local queue of one lock: who waits in this process, the lease that the store has given, and the holds under it. A state
 * machine: events in, actions out. It starts no thread, reads no clock and calls no store.
 */
@NullMarked
package dev.leasehold.engine.queue;

import org.jspecify.annotations.NullMarked;

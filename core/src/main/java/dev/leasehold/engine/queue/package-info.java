/**
 * This package is the local queue of one lock: the callers that wait in this process, the lease that the store has granted,
 * and the holds under it. It is a state machine: events go in, actions come out. It starts no thread, reads no clock and
 * calls no store.
 */
@NullMarked
package dev.leasehold.engine.queue;

import org.jspecify.annotations.NullMarked;

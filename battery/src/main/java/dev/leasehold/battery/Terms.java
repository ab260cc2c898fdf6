package dev.leasehold.battery;

import java.time.Duration;

/**
 * The terms are by what a history is judged.
 *
 * @param promise what the store promises under the fault
 * @param lease how long leases are, at the longest
 * @param longestWait how long a wait may take where nothing is the matter: all others, each with the longest hold
 * @param recovery what a fault may cost after its end: a lease that runs out, and waiters that went silent
 * @param reaction how late a listener may be called on a busy machine, and by how much an earlier request must be earlier
 * @param overtaking how many later requests of other clients may be served before a waiter
 */
record Terms(
        Promise promise, Duration lease, Duration longestWait, Duration recovery, Duration reaction, int overtaking) {}

package dev.leasehold.battery;

import java.time.Duration;
import java.util.Set;

/**
 * The terms are those by which a history is judged.
 *
 * @param promise what the store promises under the fault
 * @param lease how long leases are, at the longest
 * @param stated how far away the end may be that a lease states: further than it is long where a server's clock was set back
 * @param longestWait how long a wait may take where nothing is the matter: all others, each with the longest hold
 * @param recovery what a fault may cost after its end: a lease that runs out, and waiters that went silent
 * @param reaction how late a listener may be called on a busy machine, and by how much an earlier request must be earlier
 * @param pause how long nothing may be granted while a minority of the servers is away
 * @param overtaking how many later requests of other clients may be served before a waiter
 * @param rules the rules that apply; a peer without tokens, say, cannot break that of their order
 */
record Terms(
        Promise promise,
        Duration lease,
        Duration stated,
        Duration longestWait,
        Duration recovery,
        Duration reaction,
        Duration pause,
        int overtaking,
        Set<Violation.Rule> rules) {}

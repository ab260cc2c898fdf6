package dev.leasehold.simulator;

/** A kind of runs says what its actors use. */
public enum SimKind {
    /** Mutexes. */
    LOCKS,
    /** Readers, writers and permits beside mutexes. */
    SHARED,
    /** Elections and lock sets beside mutexes, in every other run beside shared locks, too; and clients have observers. */
    WHOLE
}

package dev.leasehold.battery;

/** A promise says what a store guarantees under a fault, in the words of docs/guarantees.md. */
enum Promise {
    /** At most one caller believes that it has the lock. */
    EXCLUDED,
    /** Two may believe it for a while after the fault; their tokens differ, and the later one's is greater. */
    FENCED,
    /** Two may believe it, and nothing tells them apart: overlaps are counted, and not judged. */
    NONE
}

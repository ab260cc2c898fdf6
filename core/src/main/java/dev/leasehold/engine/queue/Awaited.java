package dev.leasehold.engine.queue;

/**
 * An Awaited has what a hold knows about others that wait for its lock. The local queue writes it, and every thread may read
 * it.
 */
final class Awaited {

    private volatile boolean known;
    private boolean callersWait;
    private boolean othersWait;

    /** Returns whether somebody else is known to wait. */
    boolean isKnown() {
        return known;
    }

    /**
     * Notes whether callers of this process wait for the lock.
     *
     * @return whether nobody was known to wait until now
     */
    boolean note(boolean byCallers) {
        callersWait = byCallers;
        boolean now = callersWait || othersWait;
        boolean begins = now && !known;
        if (now != known) {
            known = now;
        }
        return begins;
    }

    /** Notes whether other clients wait for the lock, by an answer of the store; it counts from the next {@link #note} on. */
    void noteElsewhere(boolean byOthers) {
        othersWait = byOthers;
    }
}

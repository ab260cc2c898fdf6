package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;

/** A hold watcher stands for what the engine has attached to a hold: its lease object and the listeners. */
public interface HoldWatcher {

    /** Returns the lock's name as the holder wrote it. */
    String ownName();

    /** Returns whether the lease object is still referenced by anybody. */
    boolean isReferenced();

    /** Takes a change of state. Called once per change, in order. Must not block. */
    void stateChanged(LeaseState state);

    /** Notes that somebody waits for the lock. Must not block. */
    void awaited();
}

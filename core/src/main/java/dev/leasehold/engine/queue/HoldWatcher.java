package dev.leasehold.engine.queue;

import dev.leasehold.LeaseState;

/** What the outside world has attached to a hold: its lease object and the listeners. */
public interface HoldWatcher {

    /** Whether the lease object is still referenced by anybody. */
    boolean isReferenced();

    /** Called once per change of state, in order. Must not block. */
    void stateChanged(LeaseState state);
}

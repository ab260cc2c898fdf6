package dev.leasehold.battery;

import java.time.Duration;

/** A peer hold is a hold of a peer's lock: it has no token, no slot, and hears of no loss. */
abstract class PeerHold implements Locks.Hold {

    @Override
    public long token() {
        return 0;
    }

    @Override
    public int slot() {
        return -1;
    }

    @Override
    public Duration remaining() {
        return null;
    }

    /** Returns true: where the library says nothing, the hold is valid until it is ended. */
    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public void listen(Runnable atRisk, Runnable lost) {}
}

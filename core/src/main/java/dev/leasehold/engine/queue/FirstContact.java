package dev.leasehold.engine.queue;

/**
 * Whether a client's store has ever answered it. To connect for the first time takes longer than an answer does: a driver is
 * loaded, names are looked up, keys are exchanged, a session is made. So that is not what a caller's short limit is for.
 */
public final class FirstContact {

    private volatile boolean made;

    boolean isMade() {
        return made;
    }

    void make() {
        if (!made) {
            made = true;
        }
    }
}

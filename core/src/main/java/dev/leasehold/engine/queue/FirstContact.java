package dev.leasehold.engine.queue;

/**
 * The first contact says whether a client's store has ever answered it. To connect for the first time takes longer than an
 * answer does: a driver is loaded, names are looked up, keys are exchanged, a session is made. A caller's short limit is
 * not meant to cover that.
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

package dev.leasehold.engine.queue;

/** An asker stands for what the engine has attached to a caller. The queue only carries it. */
public interface Asker {

    /** Returns the lock's name as the caller wrote it. */
    String ownName();
}

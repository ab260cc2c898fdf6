package dev.leasehold.test;

/** A lock held elsewhere belongs to some other client. Thread-safe. */
public interface HeldElsewhere extends AutoCloseable {

    /** {@return the lock's name} */
    String name();

    /** {@return the fencing token of the other client's hold} */
    long token();

    /** Gives the lock back, so that the next in the queue has it. Repeating this does nothing. */
    void release();

    /**
     * Lets the other client die: the lock stays taken for as long as the default lease lasts, 30 s, and is free then. Move
     * the time to see that.
     */
    void crash();

    /** Does the same as {@link #release}. */
    @Override
    void close();
}

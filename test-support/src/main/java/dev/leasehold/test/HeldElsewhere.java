package dev.leasehold.test;

/** A lock that some other client holds. Thread-safe. */
public interface HeldElsewhere extends AutoCloseable {

    /**
     * The lock's name.
     *
     * @return the name
     */
    String name();

    /**
     * The fencing token of the other client's hold.
     *
     * @return the token
     */
    long token();

    /** The other client gives the lock back, and the next in the queue has it. Repeating this does nothing. */
    void release();

    /**
     * The other client dies: the lock stays taken for as long as the default lease lasts, 30 s, and is free then. Move the
     * time to see that.
     */
    void crash();

    /** The same as {@link #release}. */
    @Override
    void close();
}

package dev.leasehold.battery;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/** Locks are those of one client of some library, as a {@link Worker} uses them. Each worker is one thread. */
interface Locks extends AutoCloseable {

    /**
     * A wanted lock is of a kind that a worker has drawn; {@code share} is with how many holds at most, itself included, one
     * coexists.
     */
    record Wanted(String name, int share, Object lock) {}

    /** A hold is a worker's. Its methods are called by the thread that acquired it, but for the listener. */
    interface Hold {

        /** Returns the fencing token; 0 if the library has none. */
        long token();

        /** Returns the slot of a permit; -1 if there is none. */
        int slot();

        /** Returns how long the library says that the hold is still valid; null if it does not say. */
        Duration remaining();

        /** Returns whether the holder may believe that it has the lock, by all that the library offers for that. */
        boolean isValid();

        /** Calls back at a state that the worker notes down, where the library does. */
        void listen(Runnable atRisk, Runnable lost);

        /**
         * Ends the hold.
         *
         * @return whether the lock was the holder's until then, by what the library says
         * @throws Failed if the library does not know
         */
        boolean release() throws Failed, InterruptedException;
    }

    /** A failed exception says that the store did not carry out a request. */
    final class Failed extends Exception {

        private static final long serialVersionUID = 1;

        Failed(Exception cause) {
            super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
        }
    }

    /** Connects, and loads classes: how long a JVM takes to start is not what is judged. */
    void connect() throws Exception;

    /** Draws a kind of lock. */
    default Wanted draw(Random random) {
        return mutex();
    }

    /** Returns the mutex. */
    Wanted mutex();

    /** Returns the writer's side of a lock. */
    default Wanted writer() {
        throw new UnsupportedOperationException("no readers and writers here");
    }

    /** Returns the reader's side of the same lock. */
    default Wanted reader() {
        throw new UnsupportedOperationException("no readers and writers here");
    }

    /** Acquires a lock, and waits as long as it takes. */
    Hold acquire(Wanted wanted) throws Failed, InterruptedException;

    /** Acquires a lock, and waits for so long at most; returns nothing if the lock is busy. */
    Optional<Hold> tryAcquire(Wanted wanted, Duration atMost) throws Failed, InterruptedException;

    @Override
    void close() throws Exception;
}

package dev.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * A lock exception reports that something went wrong with a lock. Its subclasses say what may be concluded; one that is
 * none of them means that the store refused in a way that trying again will not change (no right, not a database, a newer
 * layout): the lock was certainly not acquired.
 */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message what happened, on which store, what is known of the lock, and what to do
     */
    public LockException(String message) {
        super(message);
    }

    /**
     * Makes an exception with a cause.
     *
     * @param message what happened, on which store, what is known of the lock, and what to do
     * @param cause why
     */
    public LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

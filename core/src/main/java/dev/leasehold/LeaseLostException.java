package dev.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * The lock was lost while it was held: somebody else may have it. Nothing that was done since can be relied on, unless the
 * resource checks the fencing token.
 */
public final class LeaseLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lock;
    private final long token;
    private final String reason;

    /**
     * Makes an exception.
     *
     * @param lock the lock's name
     * @param token the fencing token of the lost hold
     * @param reason how it was lost
     */
    public LeaseLostException(String lock, long token, String reason) {
        this(lock, token, reason, null);
    }

    /**
     * Makes an exception with a cause.
     *
     * @param lock the lock's name
     * @param token the fencing token of the lost hold
     * @param reason how it was lost
     * @param cause why
     */
    public LeaseLostException(String lock, long token, String reason, @Nullable Throwable cause) {
        super("the lock '" + lock + "' with token " + token + " is not held any more: " + reason, cause);
        this.lock = lock;
        this.token = token;
        this.reason = reason;
    }

    /** {@return the lock's name, as {@link Lease#name()} has it} */
    public String lock() {
        return lock;
    }

    /** {@return how the lock was lost, in words} */
    public String reason() {
        return reason;
    }

    /** {@return the fencing token of the lost hold} */
    public long token() {
        return token;
    }
}

package dev.leasehold;

/**
 * The lock was lost while it was held: somebody else may have it. What was done since cannot be relied on, unless the
 * resource checks the fencing token.
 */
public final class LeaseLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lock;
    private final long token;

    /**
     * Makes an exception.
     *
     * @param lock the lock's name
     * @param token the fencing token of the lost hold
     * @param reason how it was lost
     */
    public LeaseLostException(String lock, long token, String reason) {
        super("the lock '" + lock + "' with token " + token + " is not held any more: " + reason);
        this.lock = lock;
        this.token = token;
    }

    /**
     * The lock's name.
     *
     * @return the name
     */
    public String lock() {
        return lock;
    }

    /**
     * The fencing token of the lost hold.
     *
     * @return the token
     */
    public long token() {
        return token;
    }
}

package dev.leasehold;

/**
 * A resource refused a fencing token, because it has seen a greater one: the caller's lock was lost and somebody else has
 * had it since. Nothing was written.
 */
public final class StaleTokenException extends LockException {

    private static final long serialVersionUID = 1L;

    private final long token;
    private final long newest;

    /**
     * Makes an exception.
     *
     * @param resource the resource that refused
     * @param token the token that was offered
     * @param newest the greatest token that the resource has seen
     */
    public StaleTokenException(String resource, long token, long newest) {
        super(
                "'" + resource + "' refused the fencing token " + token + ", because it has seen " + newest
                        + ": the lock was lost and somebody else has had it since. Nothing was written; start again under a new lease");
        this.token = token;
        this.newest = newest;
    }

    /** {@return the token that was offered} */
    public long token() {
        return token;
    }

    /** {@return the greatest token that the resource has seen} */
    public long newest() {
        return newest;
    }
}

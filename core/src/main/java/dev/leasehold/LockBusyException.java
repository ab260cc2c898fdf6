package dev.leasehold;

/** The lock was still held by somebody else when the waiting time was over. The protected code has not run. */
public final class LockBusyException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lock;

    /**
     * Makes an exception.
     *
     * @param lock the lock's name
     * @param waited how long was waited, in words
     */
    public LockBusyException(String lock, String waited) {
        super("the lock '" + lock + "' was still held by somebody else after " + waited
                + "; nothing was run. Wait longer, or see `leasehold show` for its holder");
        this.lock = lock;
    }

    /**
     * The lock's name.
     *
     * @return the name
     */
    public String lock() {
        return lock;
    }
}

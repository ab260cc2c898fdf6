package dev.leasehold;

/** The lock was still held when the waiting time was over. The protected code has not run. */
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
        super("the lock '" + lock + "' was still held after " + waited
                + "; nothing was run. Its holder may be another process,"
                + " another thread of this one, or this very thread: a lease is not re-entrant, reentrantLock(name) is. Wait"
                + " longer, or ask locks(pattern) or the command `leasehold show` who has it");
        this.lock = lock;
    }

    /** {@return the lock's name} */
    public String lock() {
        return lock;
    }
}

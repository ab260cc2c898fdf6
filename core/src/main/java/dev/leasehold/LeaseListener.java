package dev.leasehold;

/** A lease listener is notified when the state of a lease changes. */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called on the client's executor when the state changes, for one lease in order and one at a time. May block and may
     * use locks. Exceptions that it throws are logged and ignored.
     *
     * @param lease the lease
     * @param state its new state
     */
    void onState(Lease lease, LeaseState state);

    /**
     * Called, like {@link #onState}, when it becomes known that somebody waits for the lock ({@link Lease#isContended()}); again
     * when that has ceased and begun anew. Advisory: it may come late, or never.
     *
     * @param lease the lease
     */
    default void onContended(Lease lease) {}
}

package dev.leasehold;

/**
 * Is told when a candidate is elected and when it leads no longer.
 *
 * <p>Called on the client's executor, for one election in order and one at a time: of each term first {@link #elected}, then,
 * however the term ended, {@link #demoted}, once each. May block, but news waits meanwhile; long work belongs into {@link
 * LeaderElection#run} or on a thread of its own. What a method throws is logged and ignored.
 */
public interface ElectionListener {

    /**
     * The candidate leads.
     *
     * @param lease the term's lease; its token is the term. May be over already, when this is called late
     */
    default void elected(Lease lease) {}

    /**
     * The candidate leads no longer. The lock is given back after all listeners have returned from here and the work of
     * {@link LeaderElection#run} has ended; if it was to be lost, it runs out at the latest the margin after this.
     *
     * @param lease the term's lease
     */
    default void demoted(Lease lease) {}
}

package dev.leasehold;

/**
 * An election listener is notified when a candidate is elected and when it leads no longer.
 *
 * <p>Its methods are called on the client's executor, for one election in order and one at a time: of each term first
 * {@link #elected}, then, however the term ended, {@link #demoted}, once each. They may block, but later calls wait
 * meanwhile; long work belongs into {@link LeaderElection#run} or on a thread of its own. Exceptions that they throw are
 * logged and ignored.
 */
public interface ElectionListener {

    /**
     * Called when the candidate leads.
     *
     * @param lease the term's lease; its token is the term. May be over already, when this is called late
     */
    default void elected(Lease lease) {}

    /**
     * Called when the candidate leads no longer. The lock is given back after all listeners have returned from here and the
     * work of {@link LeaderElection#run} has ended. If the lease is being lost, it runs out no later than the margin after
     * this.
     *
     * @param lease the term's lease
     */
    default void demoted(Lease lease) {}
}

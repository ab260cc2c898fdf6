package dev.leasehold;

/** Is told when the state of a lease changes. */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Called on the client's executor, for one lease in order and one at a time. May block and may use locks. What it
     * throws is logged and ignored.
     *
     * @param lease the lease
     * @param state its new state
     */
    void onState(Lease lease, LeaseState state);
}

package dev.leasehold.zookeeper;

/**
 * A claim step is a step in the life of a {@link ZkClaim}: its node is being created, waits in the queue, holds the
 * lock, or is being removed. Used by tasks of the client's serial executor only.
 */
sealed interface ClaimStep permits Creating, Waiting, Holding, Leaving {

    /** Does what the state asks for. Called while nothing is under way, in the session that the claim is bound to. */
    void drive(Session in);

    /** Returns whether the session has a node of the claim, or may have one. */
    boolean isBound();

    /** Ends the step: it listens to nothing any more. */
    default void stop() {}

    /** Returns when something is due, if the claim ends at the given time: that time, or an earlier one. */
    default long dueBefore(long end) {
        return end;
    }

    /** Called when the timer has fired before the end. */
    default void wake(long now) {}
}

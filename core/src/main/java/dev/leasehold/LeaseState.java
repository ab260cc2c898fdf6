package dev.leasehold;

/** A lease state is what a {@link Lease} is in, as far as it is known. */
public enum LeaseState {
    /** The lease is valid: the lock is held. */
    HELD,
    /**
     * The lease is valid, but it may be over soon: the store has not answered for two thirds of the lease, or has lost the
     * connection that the lease depends on.
     */
    AT_RISK,
    /**
     * The lease is not valid now, but may become {@link #HELD} again: the machine was suspended or a clock was set, so the
     * store has to confirm the lease first, which is under way.
     */
    UNCONFIRMED,
    /** The lease is over, because the lock was lost while it was held. This state is final. */
    LOST,
    /**
     * The lease is over, because its holder gave the lock back. This state is final, with one exception: where the store
     * answers to the release that the lease had been gone before, this becomes {@link #LOST}.
     */
    RELEASED;

    /** {@return whether the lock may be relied on: true for {@link #HELD} and {@link #AT_RISK}} */
    public boolean isValid() {
        return this == HELD || this == AT_RISK;
    }

    /** {@return whether the lease is over: true for {@link #LOST} and {@link #RELEASED}} */
    public boolean isFinal() {
        return this == LOST || this == RELEASED;
    }
}

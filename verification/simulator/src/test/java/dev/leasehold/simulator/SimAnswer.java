package dev.leasehold.simulator;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import org.jspecify.annotations.Nullable;

/** A simulated answer is the answer of a node. Times are durations by the node's clock, in microseconds. */
public sealed interface SimAnswer {

    /**
     * Granted says that the lock belongs to the claim.
     *
     * @param lease the lease
     * @param spare further tokens
     * @param slot the slot of a permit, or {@link dev.leasehold.spi.Grant#NO_SLOT}
     * @param leftMicros time left
     */
    record Granted(LeaseId lease, int spare, int slot, long leftMicros) implements SimAnswer {}

    /**
     * Busy says that the lock is taken.
     *
     * @param holder the claim that has it, or null where the lock is kept without a holder
     * @param owner the same in words
     * @param token the first token of the holder's run
     * @param leftMicros time left
     * @param place the asker's place in the queue, or 0
     */
    record Busy(@Nullable ClaimId holder, String owner, long token, long leftMicros, int place) implements SimAnswer {}

    /**
     * Renewed says that the lease is there.
     *
     * @param leftMicros time left
     */
    record Renewed(long leftMicros) implements SimAnswer {}

    /** Lost says that the lease is gone. */
    record Lost() implements SimAnswer {}

    /**
     * An ended lease or claim is the answer to a release, a withdrawal or a break.
     *
     * @param was whether there was a lease to end
     */
    record Ended(boolean was) implements SimAnswer {}
}

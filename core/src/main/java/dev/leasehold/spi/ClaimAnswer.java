package dev.leasehold.spi;

import dev.leasehold.inspect.HolderInfo;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claim answer is a store's answer to a claim. If there is no answer at all, the stage completes exceptionally instead.
 */
public sealed interface ClaimAnswer {

    /**
     * The lock belongs to the claim, beside as many others as its share and theirs allow.
     *
     * @param lease names the lease: the claim, and the first token of its run
     * @param spare how many further tokens are reserved, so that the run ends at {@code token + spare}; 0 for shares above 1
     * @param slot the slot of a permit, the same in every answer to its claim; {@link Grant#NO_SLOT} for other shares
     * @param validity until when the lease may be relied on
     */
    record Granted(LeaseId lease, int spare, int slot, Validity validity) implements ClaimAnswer {
        /** Checks the parts. */
        public Granted {
            Objects.requireNonNull(lease, "lease");
            Objects.requireNonNull(validity, "validity");
        }

        /** Makes the grant of a claim that has no slot. */
        public Granted(LeaseId lease, int spare, Validity validity) {
            this(lease, spare, Grant.NO_SLOT, validity);
        }
    }

    /**
     * Somebody else has the lock and does not share it with the claim, or is before the claim in the queue.
     *
     * @param holder who has it, where the store knows: of several one that does not let the claim in
     * @param timeLeft when the claim would fit beside the holders that are left if none of them renewed, where the store
     *     knows: for an exclusive claim the latest of their ends, for a shared one often an earlier one. Waiters do not
     *     count. Zero if it would fit now and only others are before it
     * @param place the claim's place in the queue, 1 for the first; 0 where the claim does not stand in the queue
     */
    record Busy(@Nullable HolderInfo holder, @Nullable Duration timeLeft, int place) implements ClaimAnswer {}
}

package dev.leasehold.spi;

import dev.leasehold.HolderInfo;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claim answer is a store's answer to a claim. If there is no answer at all, the stage completes exceptionally instead.
 */
public sealed interface ClaimAnswer {

    /**
     * The lock belongs to the claim.
     *
     * @param lease names the lease: the claim, and the first token of its run
     * @param spare how many further tokens are reserved, so that the run ends at {@code token + spare}
     * @param validity until when the lease may be relied on
     */
    record Granted(LeaseId lease, int spare, Validity validity) implements ClaimAnswer {
        /** Checks the parts. */
        public Granted {
            Objects.requireNonNull(lease, "lease");
            Objects.requireNonNull(validity, "validity");
        }
    }

    /**
     * Somebody else has the lock, or is before the claim in the queue.
     *
     * @param holder who has it, where the store knows
     * @param timeLeft when the lock becomes free if its holder does nothing more, where the store knows
     * @param place the claim's place in the queue, 1 for the first; 0 where the claim does not stand in the queue
     */
    record Busy(@Nullable HolderInfo holder, @Nullable Duration timeLeft, int place) implements ClaimAnswer {}
}

package dev.leasehold.spi;

import java.util.Objects;

/**
 * A grant says what a store has given to a claim that stood in its queue.
 *
 * @param lease names the lease: the claim, and the first token of its run
 * @param spare how many further tokens are reserved, so that the run ends at {@code token + spare}; 0 for shares above 1
 * @param share the share of the claim, by which a client finds the callers that wait for it
 * @param slot the slot of a permit, or {@link #NO_SLOT}
 */
public record Grant(LeaseId lease, int spare, int share, int slot) {

    /**
     * A holder without a slot has this one: all but those of semaphores, and all whose slot the store does not know.
     */
    public static final int NO_SLOT = -1;

    /** Checks the parts. */
    public Grant {
        Objects.requireNonNull(lease, "lease");
        Claim.checkShare(share);
    }

    /** Makes the grant of an exclusive claim. */
    public Grant(LeaseId lease, int spare) {
        this(lease, spare, Claim.EXCLUSIVE, NO_SLOT);
    }
}

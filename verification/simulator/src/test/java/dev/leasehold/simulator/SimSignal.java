package dev.leasehold.simulator;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.LeaseId;

/** A simulated signal goes from a node to a client without a request. */
public sealed interface SimSignal {

    /** {@return the id of the client that it is for} */
    String client();

    /**
     * Handed over says that a waiter has been made the holder.
     *
     * @param lease its lease
     * @param spare further tokens
     * @param share the share of its claim
     * @param slot the slot of a permit, or {@link dev.leasehold.spi.Grant#NO_SLOT}
     * @param stamp the stamp of the claim's last question that the node has heard
     * @param endMicros when it ends, by the node's clock: for those who judge, since a client cannot tell what that means
     * @param periodMicros how long the claim period is
     */
    record HandedOver(
            LeaseId lease, int spare, int share, int slot, ClockReading stamp, long endMicros, long periodMicros)
            implements SimSignal {
        @Override
        public String client() {
            return lease.claim().client();
        }
    }

    /**
     * Broken says that a lease was broken.
     *
     * @param lease the lease
     */
    record Broken(LeaseId lease) implements SimSignal {
        @Override
        public String client() {
            return lease.claim().client();
        }
    }
}

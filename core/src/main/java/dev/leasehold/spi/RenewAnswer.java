package dev.leasehold.spi;

import java.util.Objects;

/** A renew answer is a store's answer to a renewal. */
public sealed interface RenewAnswer {

    /**
     * The lease is still there.
     *
     * @param validity until when it may be relied on
     */
    record Renewed(Validity validity) implements RenewAnswer {
        /** Checks the parts. */
        public Renewed {
            Objects.requireNonNull(validity, "validity");
        }
    }

    /** The store has no such lease any more. Counts at once: it does not wait for the deadline. */
    record Lost() implements RenewAnswer {}
}

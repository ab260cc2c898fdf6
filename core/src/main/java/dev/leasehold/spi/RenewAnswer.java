package dev.leasehold.spi;

import java.util.Objects;

/** A renew answer is a store's answer to a renewal. */
public sealed interface RenewAnswer {

    /**
     * The lease is still there.
     *
     * @param validity until when it may be relied on
     * @param awaited whether somebody else waits for the lock; false also where the store does not see that without being
     *     asked for more. Only a hint for the holder
     */
    record Renewed(Validity validity, boolean awaited) implements RenewAnswer {
        /** Checks the parts. */
        public Renewed {
            Objects.requireNonNull(validity, "validity");
        }

        /**
         * Makes an answer that does not say whether somebody waits.
         *
         * @param validity until when the lease may be relied on
         */
        public Renewed(Validity validity) {
            this(validity, false);
        }
    }

    /** The store has no such lease any more. Counts at once: it does not wait for the deadline. */
    record Lost() implements RenewAnswer {}
}

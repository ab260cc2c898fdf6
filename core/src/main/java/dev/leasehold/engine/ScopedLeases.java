package dev.leasehold.engine;

import dev.leasehold.LeaseLostException;
import dev.leasehold.engine.threads.BodyInterrupter;
import org.jspecify.annotations.Nullable;

/** Scoped leases are what a {@link LeaseScope} runs a body under: one lease, or several at once. */
public interface ScopedLeases {

    /** Has a body interrupted when a lease is lost. */
    void interrupt(BodyInterrupter body);

    /** Closes all without a warning, and returns null if they were held until now, else the exception to throw. */
    @Nullable LeaseLostException finish();
}

package dev.leasehold.engine;

import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import org.jspecify.annotations.Nullable;

/** Runs a body under a lease, releases it, and says so if the lease was lost meanwhile. */
final class UnderLease {

    private UnderLease() {}

    static <T extends @Nullable Object, E extends Exception> T call(HeldLease lease, LeaseFunction<T, E> body)
            throws E {
        BodyInterrupter interrupter = null;
        if (lease.hold().options().interruptOnLoss()) {
            interrupter = new BodyInterrupter();
            lease.watcher().interrupt(interrupter);
        }
        T result;
        try {
            result = body.call(lease);
        } catch (Throwable thrown) {
            LeaseLostException lost = end(lease, interrupter);
            if (lost != null) {
                thrown.addSuppressed(lost);
            }
            throw thrown;
        }
        LeaseLostException lost = end(lease, interrupter);
        if (lost != null) {
            throw lost;
        }
        return result;
    }

    private static @Nullable LeaseLostException end(HeldLease lease, @Nullable BodyInterrupter interrupter) {
        if (interrupter != null) {
            interrupter.ended();
        }
        return lease.finish();
    }
}

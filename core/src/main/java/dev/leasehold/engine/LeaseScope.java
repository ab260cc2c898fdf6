package dev.leasehold.engine;

import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.engine.threads.BodyInterrupter;
import org.jspecify.annotations.Nullable;

/**
 * Runs a body under a lease, releases it, and says so if the lease was lost meanwhile. A body that ends because it was
 * interrupted for that has not been interrupted by anybody else: its caller is told of the loss, not of an interrupt, which
 * it would take for a request to end.
 */
final class LeaseScope {

    private LeaseScope() {}

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
            boolean byUs = interrupter != null && interrupter.ended(thrown);
            LeaseLostException lost = lease.finish();
            if (lost != null && byUs) {
                lost.addSuppressed(thrown);
                throw lost;
            } else if (lost != null) {
                thrown.addSuppressed(lost);
            }
            throw thrown;
        }
        if (interrupter != null) {
            interrupter.ended(null);
        }
        LeaseLostException lost = lease.finish();
        if (lost != null) {
            throw lost;
        }
        return result;
    }
}

package dev.leasehold.engine;

import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.engine.threads.BodyInterrupter;
import org.jspecify.annotations.Nullable;

/**
 * A lease scope runs a body under a lease, releases the lease, and reports a loss. If a body ends because it was
 * interrupted for the loss, its caller gets the loss and not an interrupt, which it would take for a request to end.
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

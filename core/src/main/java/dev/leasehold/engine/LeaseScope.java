package dev.leasehold.engine;

import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseLostException;
import dev.leasehold.engine.threads.BodyInterrupter;
import org.jspecify.annotations.Nullable;

/**
 * A lease scope runs a body under a lease, releases the lease, and reports a loss. If a body ends because it was
 * interrupted for the loss, its caller gets the loss and not an interrupt, which it would take for a request to end.
 */
public final class LeaseScope {

    /** A body is a piece of users' code. */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object, E extends Exception> {

        /** Runs it. */
        T run() throws E;
    }

    private LeaseScope() {}

    static <T extends @Nullable Object, E extends Exception> T call(HeldLease lease, LeaseFunction<T, E> body)
            throws E {
        return run(lease, lease.hold().options().interruptOnLoss(), () -> body.call(lease));
    }

    /**
     * Runs a body under leases.
     *
     * @param leases what it runs under, closed at the end
     * @param interruptOnLoss whether to interrupt the body when a lease is lost
     * @param body the body
     */
    public static <T extends @Nullable Object, E extends Exception> T run(
            ScopedLeases leases, boolean interruptOnLoss, Body<T, E> body) throws E {
        BodyInterrupter interrupter = null;
        if (interruptOnLoss) {
            interrupter = new BodyInterrupter();
            leases.interrupt(interrupter);
        }
        T result;
        try {
            result = body.run();
        } catch (Throwable thrown) {
            boolean byUs = interrupter != null && interrupter.ended(thrown);
            LeaseLostException lost = leases.finish();
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
        LeaseLostException lost = leases.finish();
        if (lost != null) {
            throw lost;
        }
        return result;
    }
}

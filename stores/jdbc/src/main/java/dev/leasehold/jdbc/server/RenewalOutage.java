package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.connection.NoConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A renewal outage warns when leases cannot be renewed for want of a connection: once, until one has been renewed again, which is logged, too.
 * Thread-safe.
 */
final class RenewalOutage {

    private static final Logger LOG = System.getLogger("dev.leasehold.jdbc");

    private final AtomicBoolean goesOn = new AtomicBoolean();

    /** Takes note of how a renewal has ended; null if it was answered. */
    void heard(@Nullable Throwable failure) {
        if (failure == null) {
            if (goesOn.get() && goesOn.compareAndSet(true, false)) {
                LOG.log(Level.INFO, "leases are renewed again");
            }
        } else if (failure.getCause() instanceof NoConnection && goesOn.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "leases are not renewed, and may be lost: " + failure.getMessage());
        }
    }
}

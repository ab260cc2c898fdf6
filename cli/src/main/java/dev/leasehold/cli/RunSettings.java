package dev.leasehold.cli;

import dev.leasehold.Lease;
import java.time.Duration;

/**
 * Run settings are those of a command that is run on a lease. The grace is cut to what such a lease allows.
 *
 * @param forgo ends a lease at once, of which --min-hold would keep the lock although nothing was run
 */
record RunSettings(Command command, Duration lease, Duration maxHold, Duration grace, boolean killOnLoss, Forgo forgo) {

    /** Forgoing ends a lease at once. */
    interface Forgo {

        /** A release frees the lock at once: the run has no --min-hold. */
        Forgo NOTHING = lease -> false;

        /** Returns whether the lease has been ended. */
        boolean end(Lease lease) throws InterruptedException;
    }

    RunSettings {
        grace = EndTimes.grace(grace, lease);
    }

    RunSettings with(Forgo other) {
        return new RunSettings(command, lease, maxHold, grace, killOnLoss, other);
    }
}

package dev.leasehold.battery;

import java.nio.file.Path;
import java.time.Duration;

/**
 * A plan says what one run does: one store under one fault.
 *
 * @param duration from the first strike to the end
 * @param lease how long leases are
 * @param clients how many processes, with two workers each
 * @param seed decides what the clients ask for, and whom the fault strikes when and for how long
 * @param reaction how late a listener may be called on a busy machine
 * @param directory where history and picture go
 */
record Plan(
        StoreKind store,
        Fault fault,
        Duration duration,
        Duration lease,
        int clients,
        long seed,
        Worker.Kind worker,
        Duration reaction,
        Path directory) {

    /** By what the run is judged. */
    Terms terms(int overtaking) {
        Duration longestHold = lease.multipliedBy(16).dividedBy(10);
        return new Terms(
                Promises.of(store, fault),
                store.longestLease(lease),
                longestHold.multipliedBy(2L * clients).plusSeconds(2),
                store.recovery(lease),
                reaction,
                overtaking);
    }
}

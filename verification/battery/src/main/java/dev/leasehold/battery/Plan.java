package dev.leasehold.battery;

import java.nio.file.Path;
import java.time.Duration;

/**
 * A plan says what one run does: one store under one fault.
 *
 * @param peer the library whose locks are used
 * @param duration from the first strike to the end
 * @param lease how long leases are
 * @param clients how many processes, with two workers each
 * @param seed decides what the clients ask for, and whom the fault strikes when and for how long; the servers decide which of
 *     them leads, and a machine without {@code cc} draws mixtures without sleep
 * @param reaction how late a listener may be called on a busy machine
 * @param directory where history and picture go
 */
record Plan(
        Peer peer,
        StoreKind store,
        Fault fault,
        Duration duration,
        Duration lease,
        int clients,
        long seed,
        Worker.Kind worker,
        Duration reaction,
        Path directory) {

    /** Returns the same plan, for so long. */
    Plan lasting(Duration other) {
        return new Plan(peer, store, fault, other, lease, clients, seed, worker, reaction, directory);
    }

    /** Returns the same plan, with another fault. */
    Plan under(Fault other) {
        return new Plan(peer, store, other, duration, lease, clients, seed, worker, reaction, directory);
    }

    /** Returns the same plan, with another directory. */
    Plan in(Path other) {
        return new Plan(peer, store, fault, duration, lease, clients, seed, worker, reaction, other);
    }

    /** Returns the store, and the library if it is not our own. */
    String title() {
        return peer.isOurs() ? store.word() : peer.word() + "@" + store.word();
    }

    /** Returns the terms by which the run is judged. */
    Terms terms(int overtaking) {
        Duration set = fault.movesServerClock() ? lease.multipliedBy(Nemesis.MOST_LEASES_OF_CLOCK) : Duration.ZERO;
        return new Terms(
                Promises.of(peer, store, fault),
                store.longestLease(lease),
                // No hold is so long that a clock is set more than twice in it.
                store.longestLease(lease).plus(set.multipliedBy(2)),
                longestHold().multipliedBy(2L * clients).plusSeconds(2),
                store.recovery(lease)
                        .plus(set)
                        .plus(peer.recovery()), // A clock that is set back keeps leases for longer.
                reaction,
                pause(),
                overtaking,
                peer.rules());
    }

    /**
     * Returns how long nothing may be granted while a minority of the servers is away: for as long as the longest hold, then
     * the lease of a holder that has no majority without them, and what a busy machine takes. In ZooKeeper the leader may be
     * among them; then its followers wait for it and elect another.
     */
    Duration pause() {
        Duration election = store == StoreKind.ZOOKEEPER ? ZooKeeperUnderTest.SILENCE : Duration.ZERO;
        return longestHold().plus(store.longestLease(lease)).plus(reaction).plus(election);
    }

    private Duration longestHold() {
        return lease.multipliedBy(16).dividedBy(10);
    }
}

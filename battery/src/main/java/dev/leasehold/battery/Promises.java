package dev.leasehold.battery;

/**
 * The promises of all stores under all faults: docs/guarantees.md as a table that a judge can read.
 *
 * <p>Only a store that forgets lets two callers hold at once, and only where it is one server: the masters of a quorum that have
 * forgotten have no vote until the longest lease is over. SQLite's file has no server that could forget.
 */
final class Promises {

    private Promises() {}

    static Promise of(StoreKind store, Fault fault) {
        return fault.forgets() && store != StoreKind.REDLOCK ? Promise.FENCED : Promise.EXCLUDED;
    }
}

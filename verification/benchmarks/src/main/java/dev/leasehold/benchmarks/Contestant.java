package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.server.StoreKind;
import java.util.List;

/**
 * A contestant is a library on a store.
 *
 * @param label as it is named in tables
 * @param jvm arguments of the JVMs of its processes, which make it a variant
 */
record Contestant(Peer peer, StoreKind store, String label, List<String> jvm) {

    static Contestant of(Peer peer, StoreKind store) {
        return new Contestant(peer, store, peer.label(), List.of());
    }

    /** Returns the contestant with the store's name, for workloads on several. */
    Contestant withStore() {
        return new Contestant(peer, store, peer.label() + " on " + store.label(), jvm);
    }

    Contestant variant(String name, List<String> arguments) {
        return new Contestant(peer, store, label + " " + name, arguments);
    }
}

package dev.leasehold.observe;

import java.util.Objects;

/**
 * An observed client is a client as {@link LeaseholdObserver observers} see it.
 *
 * @param label the client's label, empty for none
 * @param storeKind the kind of its store, one of few values: {@code memory}, {@code sqlite}, {@code jdbc}, {@code redis},
 *     {@code redlock}, {@code zookeeper}, or what another store calls itself
 * @param store the store for people, without credentials: {@code redis://cache.internal:6379/0}, say
 */
public record ObservedClient(String label, String storeKind, String store) {

    /** Checks the parts. */
    public ObservedClient {
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(storeKind, "storeKind");
        Objects.requireNonNull(store, "store");
    }
}

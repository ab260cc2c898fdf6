package dev.leasehold.spring.boot.autoconfigure;

import java.util.List;

/** A store candidate knows one kind of the application's own connections, which locks could use. */
interface StoreCandidate {

    StoreType type();

    /** Names what there is, for people: beans' names. Empty for nothing. */
    List<String> found();

    /**
     * Opens the store.
     *
     * @throws LeaseholdStartException if there is nothing, or no single one
     */
    StoreHandle open(LeaseholdProperties properties);
}

package dev.leasehold.spi;

import java.util.Set;

/** A store provider makes stores from URIs. Found with {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /**
     * Returns the schemes that this provider takes: what stands before the first colon.
     *
     * @return for example {@code redis} and {@code rediss}
     */
    Set<String> schemes();

    /**
     * Reads a URI, without connecting.
     *
     * @param uri the URI, its scheme one of {@link #schemes()}
     * @return the store, not opened
     * @throws IllegalArgumentException if the URI is malformed or has an unknown option; the message says what is wrong,
     *     without credentials
     */
    StoreFactory create(StoreUri uri);
}

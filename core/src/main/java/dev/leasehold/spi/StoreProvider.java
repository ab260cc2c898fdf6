package dev.leasehold.spi;

import java.util.Set;

/** A store provider makes stores from URIs. Found with {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /** {@return the schemes that this provider takes, without the colon: {@code redis} and {@code rediss}, say} */
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

package dev.leasehold.spi;

/**
 * A store that has been chosen and configured but not opened. Immutable; may be opened by several clients.
 */
public interface StoreFactory {

    /**
     * Opens the store for one client. Must not touch the network or a file: the first operation does.
     *
     * @param context who opens it
     * @return the store, to be closed by the caller
     */
    Store open(StoreContext context);

    /**
     * Names the store for messages to people: without credentials.
     *
     * @return for example {@code redis://cache.internal:6379/0}
     */
    @Override
    String toString();
}

package dev.leasehold.spi;

import dev.leasehold.doctor.Examination;
import dev.leasehold.doctor.Finding;
import java.util.List;

/**
 * A store factory is a store that has been chosen and configured but not opened. Immutable; may be opened by several
 * clients.
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
     * Examines the deployment and reports how far locks there can be relied on: for {@code leasehold doctor}. A store adds
     * the checks that its kind needs: one {@link Finding} for each thing looked at, also if it is fine or could not be
     * seen, each bad one with its consequence and remedy, and with the fault after which its locks are fenced only. By
     * default, it is only tried whether a lock can be acquired. Blocks for some seconds at most; changes nothing but the
     * record of one lock.
     *
     * @param context what to open the store with
     * @return what was found
     * @throws dev.leasehold.LockException as operations of the store, if nothing of it can be reached
     * @throws InterruptedException if the thread is interrupted while waiting
     */
    default Examination examine(StoreContext context) throws InterruptedException {
        return new Examination(List.of(Trial.of(this, context)));
    }

    /**
     * Returns the kind of the store, for metrics: one word, the same for all stores of the kind.
     *
     * @return for example {@code redis}; {@code other} by default
     */
    default String kind() {
        return "other";
    }

    /**
     * Names the store for messages to people: without credentials.
     *
     * @return for example {@code redis://cache.internal:6379/0}
     */
    @Override
    String toString();
}

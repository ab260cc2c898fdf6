package dev.leasehold.spi;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Signals go from a store to its client without a request. A signal may be lost, late, or come twice: it only saves time.
 * The methods may be called from any thread, never block and never throw.
 */
public interface Signals {

    /**
     * Signals that a claim that stood in the queue has been granted.
     *
     * @param grant what was granted, with the share of the claim
     * @param validity until when the lease may be relied on, where the store can say so from the signal alone; without it
     *     the signal is only a reason to ask. A store that does not know the slot of a permit from the signal gives none
     */
    void granted(Grant grant, @Nullable Validity validity);

    /**
     * Signals that something happened (a connection broke, a session changed, a server failed over, a lease was broken)
     * after which everything that is held should be confirmed at once.
     *
     * @param lock the lock in question, or null for all
     */
    void doubt(@Nullable String lock);

    /**
     * Signals {@link #doubt} for some locks only: those that are held on one of many servers, say.
     *
     * @param affected tells whether a lock is concerned; called at once, on the calling thread, for each lock that this
     *     client holds or waits for, and perhaps for none
     */
    default void doubtIf(Predicate<String> affected) {
        doubt(null);
    }

    /**
     * Signals {@link #doubt}, and that leases may be gone before they can be confirmed: the connection that they depend on
     * is broken. They are {@code AT_RISK} at once, for as long as they are valid, until a later request has confirmed them.
     *
     * @param lock the lock in question, or null for all
     */
    default void risk(@Nullable String lock) {
        doubt(lock);
    }
}

package dev.leasehold.spi;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a store tells its client unasked. A signal may be lost, late, or come twice: it only saves time. May be called
 * from any thread, never blocks, never throws.
 */
public interface Signals {

    /**
     * A claim that stood in the queue has been granted.
     *
     * @param lease the lease
     * @param spare the further tokens reserved
     * @param validity until when the lease may be relied on, where the store can say so from the signal alone; without it
     *     the signal is only a reason to ask
     */
    void granted(LeaseId lease, int spare, @Nullable Validity validity);

    /**
     * Something happened (a connection broke, a session changed, a server failed over, a lease was broken) after which
     * what is held should be confirmed at once.
     *
     * @param lock the lock in question, or null for all
     */
    void doubt(@Nullable String lock);

    /**
     * As {@link #doubt}, of some locks only: what is held on one of many servers, say.
     *
     * @param affected tells whether a lock is concerned; asked at once, on the calling thread, for each lock that this client
     *     holds or waits for, and perhaps for none
     */
    default void doubtIf(Predicate<String> affected) {
        doubt(null);
    }

    /**
     * As {@link #doubt}, and what is held may be gone before it can be confirmed: the connection that it depends on is
     * broken. Leases are {@code AT_RISK} at once, for as long as they are valid, until a later request has confirmed them.
     *
     * @param lock the lock in question, or null for all
     */
    default void risk(@Nullable String lock) {
        doubt(lock);
    }
}

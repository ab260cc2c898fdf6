package dev.leasehold.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A store context is what a store gets when it is opened: the client's identity, settings, time and signals.
 *
 * @param identity draws the client's random id when it is first asked for, and gives the same from then on. {@link
 *     StoreFactory#open} must not ask: a process that is restored twice from one snapshot, taken before the store was used,
 *     has to be two clients
 * @param owner who the client is, in words: host, process and label; kept beside leases and waiters for inspection. It is
 *     never used to identify anything
 * @param namespace keeps lock names of different users of one store apart; empty for none, else 1 to 64 of {@code A-Z a-z
 *     0-9 . _ -}. The store must keep (namespace, name) pairs apart under every choice of both
 * @param time the client's time
 * @param storeTimeout how long an unreachable store is waited for; every operation must complete within this time,
 *     exceptionally if need be
 * @param signals where to send signals
 */
public record StoreContext(
        Supplier<String> identity,
        String owner,
        String namespace,
        TimeSource time,
        Duration storeTimeout,
        Signals signals) {

    /** Checks the parts. */
    public StoreContext {
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(storeTimeout, "storeTimeout");
        Objects.requireNonNull(signals, "signals");
    }

    /**
     * Makes a context for a client whose id exists already.
     *
     * @param clientId the client's id
     * @param owner who the client is, in words
     * @param namespace keeps lock names apart
     * @param time the client's time
     * @param storeTimeout how long an unreachable store is waited for
     * @param signals where to send signals
     */
    public StoreContext(
            String clientId, String owner, String namespace, TimeSource time, Duration storeTimeout, Signals signals) {
        this(() -> clientId, owner, namespace, time, storeTimeout, signals);
        Objects.requireNonNull(clientId, "clientId");
    }

    /** {@return the client's random id, the first part of every {@link ClaimId} that it sends} Drawn by the first call. */
    public String clientId() {
        return identity.get();
    }
}

package dev.leasehold.spi;

import java.time.Duration;
import java.util.Objects;

/**
 * What a store is opened with.
 *
 * @param clientId the client's random id, the first part of every {@link ClaimId} that it will send
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
        String clientId, String owner, String namespace, TimeSource time, Duration storeTimeout, Signals signals) {

    /** Checks the parts. */
    public StoreContext {
        Objects.requireNonNull(clientId, "clientId");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(storeTimeout, "storeTimeout");
        Objects.requireNonNull(signals, "signals");
    }
}

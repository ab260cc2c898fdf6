package dev.leasehold.internal;

import java.time.Duration;

/**
 * A request horizon is how long a request that was given up may still be on its way, for stores that ask a server on a
 * connection: this is taken to be the store time-out, and five seconds at most.
 */
public final class RequestHorizon {

    private static final Duration MAX = Duration.ofSeconds(5);

    private RequestHorizon() {}

    /**
     * Returns the horizon of a store.
     *
     * @param storeTimeout how long the client waits for the store
     * @return the store time-out or five seconds, whichever is less
     */
    public static Duration of(Duration storeTimeout) {
        return storeTimeout.compareTo(MAX) < 0 ? storeTimeout : MAX;
    }
}

package dev.leasehold.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claim id names one attempt to obtain one lock. It is never used twice: a claim that has failed, was withdrawn, or whose
 * lease has ended is finished, and the next attempt gets a new id.
 *
 * @param client the random id of the client, without colons
 * @param counter counts the client's claims, from 1
 */
public record ClaimId(String client, long counter) {

    /** Checks the parts. */
    public ClaimId {
        Objects.requireNonNull(client, "client");
        if (client.isEmpty() || client.indexOf(':') >= 0) {
            throw new IllegalArgumentException("client id must be non-empty and without ':', but was '" + client + "'");
        }
        if (counter < 1) {
            throw new IllegalArgumentException("claim counter must be at least 1, but was " + counter);
        }
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text {@code client:counter}
     * @return the id
     * @throws IllegalArgumentException if the text has another form
     */
    public static ClaimId parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("not a claim id: '" + text + "'");
        }
        return new ClaimId(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
    }

    // Written by hand, as in LeaseId: the JVM makes a record's own methods at the first call. That takes 20 ms, and
    // happened while the store was locked.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClaimId that && counter == that.counter && client.equals(that.client);
    }

    @Override
    public int hashCode() {
        return 31 * client.hashCode() + Long.hashCode(counter);
    }

    @Override
    public String toString() {
        return client + ':' + counter;
    }
}

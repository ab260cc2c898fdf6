package dev.leasehold.redis.quorum;

import dev.leasehold.internal.WholeMillis;
import java.time.Duration;

/**
 * Marker rules tell when a restarted master gets its vote again. The marker of each master contains them, and each look at
 * the marker compares them: a client with another longest lease would count on a node too early.
 *
 * @param maxLease the longest lease of any client
 * @param trustPersistence whether a restarted master keeps its vote, because what it has answered is on its disk
 * @param keyPrefix what the marker's key begins with
 */
public record MarkerRules(Duration maxLease, boolean trustPersistence, String keyPrefix) {

    private static final long MOST_HALF_MICROS = Duration.ofDays(1).toMillis() * 1000;
    private static final Duration MARGIN = Duration.ofSeconds(2);

    /** Returns the marker's key. One serves all locks of a master, whatever their namespace. */
    public String key() {
        return keyPrefix + "quorum";
    }

    /** Returns how long a master that may have forgotten something has no vote. */
    public Duration waitFor() {
        return maxLease.plus(maxLease.dividedBy(100)).plus(MARGIN);
    }

    /**
     * Returns how far from its clock a master accepts tokens, in microseconds: half of the longest lease. A day at most, since the record of the
     * last token lives for two.
     */
    public long halfMicros() {
        return Math.min(WholeMillis.up(maxLease) * 500, MOST_HALF_MICROS);
    }

    public String text() {
        return WholeMillis.up(maxLease) + "|" + WholeMillis.up(waitFor()) + '|' + (trustPersistence ? 1 : 0);
    }
}

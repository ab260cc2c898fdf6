package dev.leasehold.redis.quorum;

import java.time.Duration;

/**
 * The claim retries are the retry policy of a claim: it counts the retries for each reason, and decides when the claim is
 * tried next. After a limit the callers get an answer instead. Used by tasks of the claim's serial executor only.
 */
final class ClaimRetries {

    private static final int MOST_SPLITS = 4;
    private static final int MOST_GATES = 2;
    private static final int MOST_HURRIES = 5;

    private final Quorum quorum;
    private int splits;
    private int gates;
    private int hurries;

    ClaimRetries(Quorum quorum) {
        this.quorum = quorum;
    }

    /** The claim is going to queue, so earlier retries no longer count. */
    void joins() {
        hurries = 0;
        gates = 0;
    }

    /** The claim has a place in line at a gate. */
    void stands() {
        gates = 0;
    }

    /** The question was answered: it is not asked again for the votes that were split. */
    void settled() {
        splits = 0;
    }

    /** Votes were split among several claims. Returns whether that has happened too often. */
    boolean isSplitTooOften() {
        return ++splits >= MOST_SPLITS;
    }

    /** A gate was left for another. Returns whether there have been too many. */
    boolean isAtTooManyGates() {
        return gates++ >= MOST_GATES;
    }

    /** An attempt that had less time than a node may take was not answered by enough nodes. Returns whether to hurry again. */
    boolean mayHurry() {
        return ++hurries < MOST_HURRIES;
    }

    void hurriedEnough() {
        hurries = 0;
    }

    /**
     * Returns a random delay, so that claims that have split the nodes do not do it again; it grows with each split.
     */
    Duration delay(Duration nodeTimeout) {
        long most = nodeTimeout.toNanos() * (2L + Math.min(splits, 4));
        return Duration.ofNanos((long) (most * (0.1 + 0.9 * quorum.random().nextDouble())));
    }
}

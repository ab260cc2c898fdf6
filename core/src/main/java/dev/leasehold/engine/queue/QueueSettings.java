package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClaimId;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Queue settings are what a local queue has to know of its client.
 *
 * @param store names the store in messages
 * @param claimIds gives out claim ids, each once
 * @param localHandOvers how many hand-overs inside the process in a row
 * @param storeTimeout how long an unreachable store is waited for
 * @param requestHorizon how long a request that was given up may still be on its way
 * @param random for jitter
 * @param contact whether the store has ever answered
 * @param left what late answers must not touch
 */
public record QueueSettings(
        String store,
        Supplier<ClaimId> claimIds,
        int localHandOvers,
        Duration storeTimeout,
        Duration requestHorizon,
        RandomGenerator random,
        FirstContact contact,
        LeftLeases left) {

    /** Returns how long a request may stay without any answer before it counts as lost. Stores fail theirs earlier. */
    long longestAnswerNanos() {
        return 2 * storeTimeout.toNanos();
    }
}

package dev.leasehold.redis.quorum;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a waiter who has heard of the right gate again stays at another: not as long as all others, and the longer the more
 * often going back was in vain. What answers one question need not be fit for standing there.
 */
final class GateReturnBackoff {

    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long MOST_NANOS = 5_000_000_000L;

    private long atMostNanos = FIRST_NANOS;

    Duration next(RandomGenerator random) {
        return Duration.ofNanos((long) (atMostNanos * (0.1 + 0.9 * random.nextDouble())));
    }

    void tried() {
        atMostNanos = Math.min(MOST_NANOS, 2 * atMostNanos);
    }

    void succeeded() {
        atMostNanos = FIRST_NANOS;
    }
}

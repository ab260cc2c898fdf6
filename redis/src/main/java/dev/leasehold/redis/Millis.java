package dev.leasehold.redis;

import java.time.Duration;

/** Durations as Redis counts them. */
final class Millis {

    private Millis() {}

    /** Rounded up: what lasts longer in the store than was asked for is safe, what lasts shorter is not. */
    static long up(Duration duration) {
        long millis = duration.toMillis();
        return duration.minusMillis(millis).isZero() ? millis : millis + 1;
    }
}

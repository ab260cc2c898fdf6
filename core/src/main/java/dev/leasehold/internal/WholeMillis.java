package dev.leasehold.internal;

import java.time.Duration;

/** Durations in whole milliseconds, as Redis counts them. */
public final class WholeMillis {

    private WholeMillis() {}

    /**
     * Rounds up: what lasts longer in the store than was asked for is safe, what lasts shorter is not.
     *
     * @param duration any duration
     * @return whole milliseconds
     */
    public static long up(Duration duration) {
        long millis = duration.toMillis();
        return duration.minusMillis(millis).isZero() ? millis : millis + 1;
    }
}

package dev.leasehold.internal;

import java.time.Duration;

/** WholeMillis converts durations into whole milliseconds, as Redis counts them. */
public final class WholeMillis {

    private WholeMillis() {}

    /**
     * Rounds a duration up, because something that lasts longer in the store than was asked for is safe, and something that
     * lasts shorter is not.
     *
     * @param duration any duration
     * @return whole milliseconds
     */
    public static long up(Duration duration) {
        long millis = duration.toMillis();
        return duration.minusMillis(millis).isZero() ? millis : millis + 1;
    }
}

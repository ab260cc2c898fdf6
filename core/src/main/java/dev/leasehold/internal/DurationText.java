package dev.leasehold.internal;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * DurationText writes durations as people read them in messages: {@code 300 ms}, {@code 2.5 s}, {@code 2 min 30 s}, {@code
 * 24 h}.
 */
public final class DurationText {

    private DurationText() {}

    /**
     * Returns a duration in words, rounded down to the precision that its size deserves.
     *
     * @param duration any duration; one below a millisecond is written in nanoseconds
     * @return a number and a unit
     */
    public static String of(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 0) {
            return seconds > -10 ? inMillis(duration.toMillis()) : seconds + " s";
        }
        if (seconds < 10) {
            return duration.isZero()
                    ? "0 s"
                    : duration.toMillis() == 0 ? duration.toNanos() + " ns" : inMillis(duration.toMillis());
        }
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 7_200) {
            return seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
        }
        return seconds < 172_800 ? seconds / 3_600 + " h" : seconds / 86_400 + " days";
    }

    private static String inMillis(long millis) {
        return Math.abs(millis) < 1_000
                ? millis + " ms"
                : BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + " s";
    }
}

package dev.leasehold.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times converts durations and moments from and to the units of the clocks. */
final class Times {

    // This is far above every lease that is granted, and small enough that differences of nanoseconds do not overflow.
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Times() {}

    static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    static Instant instant(long wallMicros) {
        return Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS);
    }
}

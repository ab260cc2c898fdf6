package dev.leasehold.jdbc.protocol;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A transaction context is that of one transaction: when it was asked for, what time it was once it had the database to
 * itself, and what others have to be told when it has been committed.
 *
 * @param sentAt the client's clocks before the transaction was begun
 * @param boot names the clock of {@code micros}
 * @param micros the time by which leases end, read after the transaction had begun
 * @param wallMicros the wall clock, likewise
 * @param notifications for other clients
 */
public record TxContext(
        ClockReading sentAt, String boot, long micros, long wallMicros, List<Notification> notifications) {

    /** A notification is something that a client wants to hear of. */
    public sealed interface Notification {
        String client();

        /** A claim of the client's was granted while it waited. */
        record Granted(String client) implements Notification {}

        /** A lease of the client's was broken. */
        record Broken(String client, String lock) implements Notification {}
    }

    // Far above every lease that is granted, far below what overflows.
    public static final Duration LONGEST = Duration.ofDays(36_500);

    void granted(ClaimId claim) {
        notifications.add(new Notification.Granted(claim.client()));
    }

    void broken(ClaimId claim, String lock) {
        notifications.add(new Notification.Broken(claim.client(), lock));
    }

    public long in(Duration duration) {
        return micros + micros(duration);
    }

    Duration until(long ends) {
        return Duration.of(Math.max(0, ends - micros), ChronoUnit.MICROS);
    }

    public Validity validity(long ends) {
        return Validity.of(sentAt, until(ends));
    }

    Instant wallAt(long ends) {
        return instant(wallMicros).plus(until(ends));
    }

    public static long micros(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return (duration.compareTo(LONGEST) > 0 ? LONGEST : duration).toNanos() / 1000;
    }

    public static Instant instant(long wallMicros) {
        return Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS);
    }
}

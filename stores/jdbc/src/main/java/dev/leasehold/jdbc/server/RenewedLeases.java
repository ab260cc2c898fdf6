package dev.leasehold.jdbc.server;

import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Renewed leases are those of one client that it has held for so long that it has renewed them: it listens for as long as
 * it has one, to hear of a break. Thread-safe. Only a hint: who hears of none learns of it at the next renewal.
 */
final class RenewedLeases {

    private final TimeSource time;
    private final Map<ClaimId, Long> ends = new ConcurrentHashMap<>();

    RenewedLeases(TimeSource time) {
        this.time = time;
    }

    void add(ClaimId claim, Duration duration) {
        ends.put(claim, time.nanos() + duration.toNanos());
    }

    void remove(ClaimId claim) {
        ends.remove(claim);
    }

    /** What is neither renewed nor given back, such as a lease that its holder has forgotten, counts until its end. */
    boolean isEmpty() {
        long now = time.nanos();
        ends.values().removeIf(end -> now - end >= 0);
        return ends.isEmpty();
    }
}

package dev.leasehold.spi;

import java.time.Duration;

/**
 * The waiting rules say how waiters are kept alive, the same on every store. A waiter asks again every {@link #askEvery},
 * counts as alive for {@link #aliveFor} after its last request, and has {@link #claimPeriod} to confirm a lock that was
 * handed to it. So a waiter that died can delay the others by one claim period, and many that died together by about one
 * lease.
 */
public final class WaitingRules {

    private static final Duration MOST = Duration.ofSeconds(5);
    private static final Duration LEAST = Duration.ofMillis(50);
    private static final Duration LONG = MOST.multipliedBy(3);

    private WaitingRules() {}

    /**
     * Returns how often a waiter asks again.
     *
     * @param lease the lease that it asks for
     * @return a third of the lease, at least 50 ms and at most 5 s
     */
    public static Duration askEvery(Duration lease) {
        return share(lease, 3);
    }

    /**
     * Returns how long after its last request a waiter counts as alive.
     *
     * @param lease the lease that it asks for
     * @return 2.5 times the asking interval
     */
    public static Duration aliveFor(Duration lease) {
        return Duration.ofNanos(askEvery(lease).toNanos() * 5 / 2);
    }

    /**
     * Returns how long a waiter has the lock when it is handed over, before it has confirmed.
     *
     * @param lease the lease that it asks for
     * @return half of the lease, at least 50 ms and at most 5 s
     */
    public static Duration claimPeriod(Duration lease) {
        return share(lease, 2);
    }

    // It counts in nanoseconds, because Duration divides decimal fractions of any length, and every claim calls this.
    private static Duration share(Duration lease, long parts) {
        if (lease.compareTo(LONG) > 0) {
            return MOST;
        }
        long nanos = Math.max(LEAST.toNanos(), lease.toNanos() / parts);
        return Duration.ofNanos(Math.min(MOST.toNanos(), nanos));
    }
}

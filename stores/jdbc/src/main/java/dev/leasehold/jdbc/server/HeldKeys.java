package dev.leasehold.jdbc.server;

import dev.leasehold.jdbc.protocol.TxContext;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Held keys are those that a {@link PinnedSession} has, each with the lease that it stands for, until when, and the idle
 * limit that the lease needs. Sends nothing. Used by the session's thread only.
 */
final class HeldKeys {

    /**
     * A holding is a key that the session has.
     *
     * @param lease what for; null as long as that is being decided
     * @param limit the idle limit that it needs, in milliseconds
     * @param until when the lease is over, if nobody does anything
     */
    record Holding(@Nullable LeaseId lease, long limit, long until) {
        static final Holding UNDECIDED = new Holding(null, 0, 0);
    }

    private final TimeSource time;
    private final Map<Object, Holding> held = new HashMap<>();

    HeldKeys(TimeSource time) {
        this.time = time;
    }

    /** Returns the idle limit that a lease needs, in milliseconds: whole seconds, and more than asked for. */
    static long limitFor(Duration duration) {
        return (TxContext.micros(duration) / 1_000_000 + 1) * 1_000;
    }

    @Nullable Holding get(Object key) {
        return held.get(key);
    }

    void put(Object key, Holding holding) {
        held.put(key, holding);
    }

    /** Returns whether the session had the key. */
    boolean remove(Object key) {
        return held.remove(key) != null;
    }

    void clear() {
        held.clear();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    boolean isSingle() {
        return held.size() == 1;
    }

    boolean isLive(Holding holding) {
        return holding.until() - time.nanos() > 0;
    }

    boolean haveLease() {
        return held.values().stream().anyMatch(holding -> holding.lease() != null);
    }

    /** Returns the idle limit that all of them need. */
    long limit(long atLeast) {
        return held.values().stream().mapToLong(Holding::limit).reduce(atLeast, Math::max);
    }

    Map<LeaseId, Object> byLease() {
        Map<LeaseId, Object> keys = new HashMap<>();
        held.forEach((key, holding) -> {
            if (holding.lease() != null) {
                keys.put(holding.lease(), key);
            }
        });
        return keys;
    }

    List<Object> of(String lock, Predicate<LeaseId> which) {
        return held.entrySet().stream()
                .filter(entry -> {
                    LeaseId lease = entry.getValue().lease();
                    return lease != null && lease.lock().equals(lock) && which.test(lease);
                })
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the locks whose leases are over, though the session has their keys. */
    List<String> expired() {
        List<String> locks = new ArrayList<>();
        for (Holding holding : held.values()) {
            LeaseId lease = holding.lease();
            if (lease != null && !isLive(holding)) {
                locks.add(lease.lock());
            }
        }
        return locks;
    }

    /** Returns when the first of the leases that are not over ends, or the given time if that is sooner. */
    long firstEnd(long atMost) {
        long first = atMost;
        for (Holding holding : held.values()) {
            if (holding.lease() != null && isLive(holding) && holding.until() - first < 0) {
                first = holding.until();
            }
        }
        return first;
    }
}

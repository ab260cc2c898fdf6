package dev.leasehold.engine.queue;

import java.time.Duration;

/**
 * The long waits of a local queue are those of callers without a limit. They are logged after ten seconds, and then rarely:
 * for such a caller nothing else ever tells that it waits.
 */
final class LongWaits {

    private static final long FIRST_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long LEAST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long MOST_PAUSE_NANOS = Duration.ofHours(1).toNanos();

    private final WaitingCallers waiting;
    private long nextAt = DueTimes.NEVER;

    LongWaits(WaitingCallers waiting) {
        this.waiting = waiting;
    }

    void joined(Caller caller, long now) {
        if ((nextAt == DueTimes.NEVER || waiting.size() == 1) && isMeant(caller)) {
            nextAt = now + FIRST_NANOS;
        }
    }

    void look(EventHandling at) {
        if (nextAt == DueTimes.NEVER || at.now() - nextAt < 0) {
            return;
        }
        nextAt = DueTimes.NEVER;
        Caller longest = waiting.first(LongWaits::isMeant);
        if (longest == null) {
            return;
        }
        long waited = at.now() - longest.joinedAt;
        nextAt = longest.joinedAt + FIRST_NANOS;
        if (waited >= FIRST_NANOS) {
            nextAt = at.now() + Math.min(MOST_PAUSE_NANOS, Math.max(LEAST_PAUSE_NANOS, 6 * waited));
            at.add(new Action.WaitsLong(Duration.ofNanos(waited), waiting.size()));
        }
    }

    long nextLook() {
        return waiting.isEmpty() ? DueTimes.NEVER : nextAt;
    }

    private static boolean isMeant(Caller caller) {
        return caller.waitsForEver() && !caller.stands;
    }
}

package dev.leasehold.engine.queue;

import java.time.Duration;

/**
 * The long waits of a local queue are those of callers without a limit. They are logged after ten seconds, and then rarely:
 * for such a caller nothing else ever tells that it waits. After ten seconds it is also asked, once for each caller, whether
 * its thread waits for itself: most waits are over by then, and cost nothing.
 */
final class LongWaits {

    private static final long FIRST_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long LEAST_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long MOST_PAUSE_NANOS = Duration.ofHours(1).toNanos();

    /** Between two looks at who has to be asked, since each goes through all callers. */
    private static final long ASKING_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final WaitingCallers waiting;
    private long nextAt = DueTimes.NEVER;
    private long askAt = DueTimes.NEVER;

    LongWaits(WaitingCallers waiting) {
        this.waiting = waiting;
    }

    void joined(Caller caller, long now) {
        if ((nextAt == DueTimes.NEVER || waiting.size() == 1) && isMeant(caller)) {
            nextAt = now + FIRST_NANOS;
        }
        if ((askAt == DueTimes.NEVER || waiting.size() == 1) && isToBeAsked(caller)) {
            askAt = now + FIRST_NANOS;
        }
    }

    void look(EventHandling at) {
        if (askAt != DueTimes.NEVER && at.now() - askAt >= 0) {
            askAt = DueTimes.NEVER;
            waiting.forEach(caller -> ask(caller, at));
        }
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

    private void ask(Caller caller, EventHandling at) {
        if (isToBeAsked(caller) && at.now() - caller.joinedAt < FIRST_NANOS) {
            askAt = at.now() + ASKING_PAUSE_NANOS;
        } else if (isToBeAsked(caller)) {
            caller.asked = true;
            at.add(new Action.AskQueues(caller));
        }
    }

    long nextLook() {
        return waiting.isEmpty() ? DueTimes.NEVER : DueTimes.earlier(nextAt, askAt);
    }

    private static boolean isMeant(Caller caller) {
        return caller.waitsForEver() && !caller.stands;
    }

    private static boolean isToBeAsked(Caller caller) {
        return caller.waiter != null && !caller.asked && caller.waitsForEver();
    }
}

package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import java.time.Duration;
import java.util.List;

/**
 * A result says how one run has ended. Its longest wait is the longest that ended: those of killed processes did not.
 */
record Result(
        Plan plan,
        Promise promise,
        String server,
        Duration took,
        long grants,
        long strikes,
        Duration longestWait,
        long overlaps,
        List<Violation> violations) {

    static Result of(Plan plan, Promise promise, String server, List<Event> history, List<Violation> violations) {
        List<Call> calls = Call.of(history);
        long start = history.stream().mapToLong(Event::at).min().orElse(0);
        long end = history.stream().mapToLong(Event::at).max().orElse(0);
        long longest = calls.stream()
                .filter(call -> call.waitedUntil() != HoldRecord.NEVER)
                .mapToLong(call -> call.waitedUntil() - call.asked().at())
                .max()
                .orElse(0);
        return new Result(
                plan,
                promise,
                server,
                Duration.ofNanos(end - start),
                calls.stream().filter(Call::isHold).count(),
                history.stream().filter(Event.Struck.class::isInstance).count(),
                Duration.ofNanos(longest),
                Judge.overlaps(history),
                violations);
    }
}

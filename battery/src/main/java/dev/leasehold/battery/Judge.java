package dev.leasehold.battery;

import dev.leasehold.battery.Violation.Rule;
import dev.leasehold.testkit.HistoryChecker;
import dev.leasehold.testkit.HoldRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A judge says what is wrong with a history, by the promise of the store under the fault of the run.
 *
 * <p>Exclusion, slots, tokens and truth are judged by the testkit's {@link HistoryChecker}, from the holders' own belief. Where two
 * holders at once are possible ({@link Promise#FENCED}), an overlap is excused only if a fault lies between the request of the
 * older hold and the grant of the younger, and only if the older holder learns of it within a lease. Tokens are then compared
 * only where one grant was seen before the other was asked for: a grant that is read late may have been made early.
 *
 * <p>The rules about time know the faults: what a stopped process or server could not do meanwhile is not held against it.
 */
final class Judge {

    private final Terms terms;
    private final List<Call> calls;
    private final List<Disturbance> disturbances;
    private final long end;
    private final List<Violation> found = new ArrayList<>();

    private Judge(Terms terms, List<Event> history) {
        this.terms = terms;
        this.calls = Call.of(history);
        this.disturbances = Disturbance.of(history);
        this.end = history.stream().mapToLong(Event::at).max().orElse(0);
    }

    /**
     * Judges.
     *
     * @param history the events of all clients and of the battery, in any order
     * @param left what the store still has when all clients have gone and all leases are over
     */
    static List<Violation> violations(Terms terms, List<Event> history, List<String> left) {
        List<Event> sorted =
                history.stream().sorted(Comparator.comparingLong(Event::at)).toList();
        Judge judge = new Judge(terms, sorted);
        judge.believed();
        judge.tokens();
        judge.calls.forEach(judge::call);
        judge.resumption();
        left.forEach(each -> judge.found.add(new Violation(Rule.NOTHING_LEFT, each)));
        return List.copyOf(judge.found);
    }

    private void report(Rule rule, String text) {
        found.add(new Violation(rule, text));
    }

    /** What the holders believed. */
    private void believed() {
        List<HoldRecord> records = calls.stream().map(Call::toRecord).toList();
        for (String text : HistoryChecker.of(Duration.ZERO).violations(records)) {
            Rule rule = text.startsWith("truthful loss")
                    ? Rule.TRUTH
                    : text.startsWith("token order") || text.contains("the token of slot")
                            ? Rule.TOKENS
                            : Rule.EXCLUSION;
            if (rule == Rule.TRUTH || terms.promise() == Promise.EXCLUDED) {
                report(rule, text);
            }
        }
        if (terms.promise() == Promise.FENCED) {
            byLock().forEach(this::overlaps);
        }
    }

    private Map<String, List<Call>> byLock() {
        return calls.stream()
                .filter(Call::isHold)
                .sorted(Comparator.comparingLong(call -> call.granted().at()))
                .collect(Collectors.groupingBy(call -> call.asked().lock()));
    }

    private void overlaps(String lock, List<Call> holds) {
        List<Call> present = new ArrayList<>();
        for (Call younger : holds) {
            long at = younger.granted().at();
            present.removeIf(older -> older.believedUntil() <= at);
            for (Call older : present) {
                boolean together = older.asked().share() > 1 && younger.asked().share() > 1;
                if (!together && !isExcused(older, younger)) {
                    report(Rule.EXCLUSION, "on " + lock + " " + younger.toRecord() + " beside " + older.toRecord());
                }
            }
            present.add(younger);
        }
    }

    private boolean isExcused(Call older, Call younger) {
        return disturbances.stream()
                .filter(fault -> fault.from() <= younger.granted().at()
                        && fault.to() >= older.asked().at())
                .anyMatch(fault -> older.believedUntil() <= plus(fault.to(), terms.lease(), terms.reaction()));
    }

    /** Holds for every promise: a grant that was seen before another was asked for has a smaller token. */
    private void tokens() {
        byLock().forEach((lock, holds) -> {
            Map<Long, Call> exclusive = new HashMap<>();
            for (Call hold : holds) {
                Call before = holds.stream()
                        .filter(other -> other.granted().at() <= hold.asked().at())
                        .filter(other ->
                                other.asked().share() == 1 || hold.asked().share() == 1)
                        .max(Comparator.comparingLong(other -> other.granted().token()))
                        .orElse(null);
                if (before != null && before.granted().token() >= hold.granted().token()) {
                    report(Rule.TOKENS, hold.toRecord() + " was asked for after the grant of " + before.toRecord());
                }
                Call same =
                        hold.asked().share() == 1 ? exclusive.put(hold.granted().token(), hold) : null;
                if (same != null) {
                    report(Rule.TOKENS, "the same token twice: " + hold.toRecord() + " and " + same.toRecord());
                }
            }
        });
    }

    private void call(Call call) {
        waiting(call);
        if (call.isHold()) {
            timelyLoss(call);
            order(call);
        } else if (call.withdrawn() != null && call.withdrawn().why().startsWith("failed")) {
            if (!isDisturbed(call.asked().at(), call.withdrawn().at())) {
                report(Rule.AVAILABILITY, "a call failed while nothing was the matter: " + call.withdrawn());
            }
        }
    }

    private boolean isDisturbed(long from, long to) {
        return disturbances.stream()
                .anyMatch(fault -> fault.within(from, to, terms.recovery().toNanos()) > 0);
    }

    private void waiting(Call call) {
        long until = Math.min(end, call.waitedUntil());
        if (call.waitedUntil() == HoldRecord.NEVER && wasKilled(call.client())) {
            return;
        }
        long allowed = terms.longestWait().toNanos();
        for (Disturbance fault : disturbances) {
            allowed += fault.within(call.asked().at(), until, terms.recovery().toNanos());
        }
        if (until - call.asked().at() > allowed) {
            report(
                    Rule.WAITING,
                    "waited for " + Duration.ofNanos(until - call.asked().at()) + ", of which faults excuse all but "
                            + Duration.ofNanos(allowed) + ": " + call.asked());
        }
    }

    private boolean wasKilled(String client) {
        return disturbances.stream()
                .anyMatch(
                        fault -> fault.target().equals(client) && fault.fault().equals("kill"));
    }

    private void timelyLoss(Call call) {
        Event.Released released = call.released();
        if (released == null || released.kept() || released.at() <= call.validUntil()) {
            return; // Or the store has said so earlier, and nothing was due yet.
        }
        long due = plus(call.validUntil(), terms.reaction(), Duration.ZERO);
        long told = call.lost() == null ? end : call.lost().at();
        boolean stopped = disturbances.stream()
                .anyMatch(fault -> fault.target().equals(call.client())
                        && fault.within(
                                        call.granted().at(),
                                        told,
                                        terms.reaction().toNanos())
                                > 0);
        if (told > due && !stopped) {
            report(
                    Rule.TIMELY_LOSS,
                    "told " + Duration.ofNanos(told - call.validUntil()) + " after the end that the lease had stated: "
                            + call.toRecord());
        }
    }

    private void order(Call call) {
        long asked = call.asked().at();
        if (call.asked().share() != 1
                || isDisturbed(
                        asked - terms.recovery().toNanos(), call.granted().at())) {
            return;
        }
        long overtakers = calls.stream()
                .filter(other -> other.isHold()
                        && other.asked().lock().equals(call.asked().lock()))
                .filter(other -> !other.client().equals(call.client()))
                .filter(other -> other.asked().at() > plus(asked, terms.reaction(), Duration.ZERO))
                .filter(other -> other.granted().at() < call.granted().at())
                .count();
        if (overtakers > terms.overtaking()) {
            report(Rule.ORDER, overtakers + " who had asked later were served before " + call.toRecord());
        }
    }

    private void resumption() {
        for (Disturbance fault : disturbances) {
            long due = plus(fault.to(), terms.recovery(), Duration.ZERO);
            boolean followed = disturbances.stream()
                    .anyMatch(other -> other != fault && other.from() <= due && other.to() >= fault.to());
            if (due >= end || followed) {
                continue;
            }
            boolean granted = calls.stream()
                    .filter(Call::isHold)
                    .anyMatch(call ->
                            call.granted().at() >= fault.to() && call.granted().at() <= due);
            if (!granted) {
                report(Rule.RESUMPTION, "nothing was granted by " + due + ", after " + fault);
            }
        }
    }

    private static long plus(long time, Duration one, Duration other) {
        long sum = one.plus(other).toNanos();
        return time > HoldRecord.NEVER - sum ? HoldRecord.NEVER : time + sum;
    }
}

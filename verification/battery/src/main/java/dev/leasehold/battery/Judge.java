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
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A judge says what is wrong with a history, by the promise of the store under the fault of the run.
 *
 * <p>Exclusion, slots, tokens and truth are judged by the testkit's {@link HistoryChecker}, from the holders' own belief.
 * Where two holders at once are possible ({@link Promise#FENCED}), an overlap is excused only if a fault lies between the
 * grants of the older hold and of the younger, and only if the older holder learns of it within a lease. Tokens are then
 * compared only where one grant was seen before the other was asked for: a grant that is read late may have been made
 * early.
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
     * Judges a history.
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
        judge.byLock().values().forEach(judge::order);
        judge.resumption();
        new AwayRules(terms, judge.calls, judge.disturbances, judge::report).judge(sorted);
        left.forEach(each -> judge.found.add(new Violation(Rule.NOTHING_LEFT, each)));
        return judge.found.stream()
                .filter(violation -> terms.rules().contains(violation.rule()))
                .toList();
    }

    private void report(Rule rule, String text) {
        found.add(new Violation(rule, text));
    }

    /** Judges the beliefs of the holders. */
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
        return byLock(calls);
    }

    private static Map<String, List<Call>> byLock(List<Call> calls) {
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
            List<Call> beside =
                    present.stream().filter(older -> !isExcused(older, younger)).toList();
            if (isOneTooMany(younger, beside)) {
                report(
                        Rule.EXCLUSION,
                        "on " + lock + " " + younger.toRecord() + " beside "
                                + beside.stream().map(Call::toRecord).toList());
            }
            present.add(younger);
        }
    }

    /** Returns how many holds began beside others with which they cannot be, promised or not. */
    static long overlaps(List<Event> history) {
        long count = 0;
        Map<String, List<Call>> byLock = byLock(Call.of(history));
        for (List<Call> holds : byLock.values()) {
            List<Call> present = new ArrayList<>();
            for (Call younger : holds) {
                present.removeIf(
                        older -> older.believedUntil() <= younger.granted().at());
                count += isOneTooMany(younger, present) ? 1 : 0;
                present.add(younger);
            }
        }
        return count;
    }

    /** Returns whether a hold cannot be beside others: they are too many, or one of them has its slot. */
    private static boolean isOneTooMany(Call younger, List<Call> beside) {
        int least =
                beside.stream().mapToInt(older -> older.asked().share()).min().orElse(Integer.MAX_VALUE);
        int slot = younger.granted().slot();
        return beside.size() >= Math.min(least, younger.asked().share())
                || slot >= 0
                        && beside.stream().anyMatch(older -> older.granted().slot() == slot);
    }

    /**
     * Returns whether a fault excuses that two holds overlap. A grant that was made before a fault is seen soon, if it
     * is seen after it.
     */
    private boolean isExcused(Call older, Call younger) {
        long granted = Math.max(
                older.asked().at(), older.granted().at() - terms.reaction().toNanos());
        return disturbances.stream()
                .filter(fault -> fault.from() <= younger.granted().at() && fault.to() >= granted)
                .anyMatch(fault -> older.believedUntil() <= plus(fault.to(), terms.lease(), terms.reaction()));
    }

    /**
     * Judges a rule that holds for every promise: a grant that was seen before another was asked for has a smaller
     * token, if one of the two excludes the other; those of one slot do.
     */
    private void tokens() {
        byLock().values().forEach(holds -> {
            tokens(holds, hold -> hold.asked().share() == 1);
            List<Call> ofSlots =
                    holds.stream().filter(hold -> hold.granted().slot() >= 0).toList();
            ofSlots.stream()
                    .filter(hold -> hold.granted().slot() >= hold.asked().share())
                    .forEach(hold -> report(Rule.EXCLUSION, "the slot is not below the share: " + hold.toRecord()));
            ofSlots.stream()
                    .collect(Collectors.groupingBy(hold -> hold.granted().slot()))
                    .values()
                    .forEach(ofOne -> tokens(ofOne, hold -> true));
        });
    }

    private void tokens(List<Call> holds, Predicate<Call> isExclusive) {
        Map<Long, Call> exclusive = new HashMap<>();
        for (Call hold : holds) {
            Call same = isExclusive.test(hold) ? exclusive.put(hold.granted().token(), hold) : null;
            if (same != null) {
                report(Rule.TOKENS, "the same token twice: " + hold.toRecord() + " and " + same.toRecord());
            }
        }
        newestWhenAsked(holds, isExclusive);
    }

    /** Goes through the requests in order of time, and beside them through the grants. */
    private void newestWhenAsked(List<Call> granted, Predicate<Call> isExclusive) {
        List<Call> asked = granted.stream()
                .sorted(Comparator.comparingLong(call -> call.asked().at()))
                .toList();
        int seen = 0;
        Call newest = null;
        Call newestExclusive = null;
        for (Call hold : asked) {
            for (;
                    seen < granted.size()
                            && granted.get(seen).granted().at() <= hold.asked().at();
                    seen++) {
                Call grant = granted.get(seen);
                newest = greater(newest, grant);
                newestExclusive = isExclusive.test(grant) ? greater(newestExclusive, grant) : newestExclusive;
            }
            Call before = isExclusive.test(hold) ? newest : newestExclusive;
            if (before != null && before.granted().token() >= hold.granted().token()) {
                report(Rule.TOKENS, hold.toRecord() + " was asked for after the grant of " + before.toRecord());
            }
        }
    }

    private static Call greater(Call one, Call other) {
        return one != null && one.granted().token() > other.granted().token() ? one : other;
    }

    private void call(Call call) {
        waiting(call);
        if (call.isHold()) {
            timelyLoss(call);
            farAway(call);
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
        if (call.withdrawn() != null && call.withdrawn().why().equals(Worker.INTERRUPTED)) {
            report(Rule.WAITING, "had not ended some seconds after all workers were ordered to end: " + call.asked());
            return;
        }
        if (call.waitedUntil() == HoldRecord.NEVER && wasKilled(call.client())) {
            return;
        }
        long asked = call.asked().at();
        long until = Math.min(end, call.waitedUntil());
        if (until - asked <= terms.longestWait().toNanos()) {
            return;
        }
        long excused =
                Disturbance.covered(disturbances, asked, until, terms.recovery().toNanos());
        if (until - asked - excused > terms.longestWait().toNanos()) {
            report(
                    Rule.WAITING,
                    "waited for " + Duration.ofNanos(until - asked) + ", of which faults explain "
                            + Duration.ofNanos(excused) + ": " + call.asked());
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
        long told = call.lost() == null ? end : call.lost().at();
        long wentOn = disturbances.stream()
                .filter(fault -> fault.target().equals(call.client()) && fault.stopsItsTarget())
                .filter(fault -> fault.within(call.granted().at(), told, 0) > 0)
                .mapToLong(Disturbance::to)
                .max()
                .orElse(call.validUntil());
        long due = plus(call.validUntil(), slept(call, told), Duration.ZERO);
        if (told > plus(Math.max(wentOn, due), terms.reaction(), Duration.ZERO)) {
            report(
                    Rule.TIMELY_LOSS,
                    "told " + Duration.ofNanos(told - call.validUntil()) + " after the end that the lease had stated: "
                            + call.toRecord());
        }
    }

    /**
     * Returns for how long a holder slept. When it wakes up, it believes nothing until its store has answered; if that does not,
     * the holder hears of the loss at the end, by a clock that stood still meanwhile.
     */
    private Duration slept(Call call, long told) {
        return Duration.ofNanos(disturbances.stream()
                .filter(fault ->
                        fault.target().equals(call.client()) && fault.fault().equals(Fault.SUSPEND.word()))
                .mapToLong(fault -> fault.within(call.granted().at(), told, 0))
                .sum());
    }

    /**
     * Judges the ends that a lease states. A lease that states an end further away than it is long is believed in when
     * the store has let another one in.
     */
    private void farAway(Call call) {
        Event.Granted granted = call.granted();
        stated(call, granted.at(), granted.validUntil());
        call.renewals().forEach(renewed -> stated(call, renewed.at(), renewed.validUntil()));
    }

    private void stated(Call call, long at, long validUntil) {
        if (validUntil - at > terms.stated().toNanos()) {
            report(
                    Rule.TRUTH,
                    "at " + at + " said to be valid for another " + Duration.ofNanos(validUntil - at) + ": "
                            + call.toRecord());
        }
    }

    /** Judges one lock's holds in order of grants. Only a long wait can be overtaken, so few are looked back from. */
    private void order(List<Call> holds) {
        for (int i = 0; i < holds.size(); i++) {
            Call call = holds.get(i);
            long asked = call.asked().at();
            long later = plus(asked, terms.reaction(), Duration.ZERO);
            if (call.asked().share() != 1
                    || call.granted().at() <= later
                    || isDisturbed(
                            asked - terms.recovery().toNanos(), call.granted().at())) {
                continue;
            }
            int overtakers = 0;
            for (int before = i - 1; before >= 0 && holds.get(before).granted().at() > later; before--) {
                Call other = holds.get(before);
                overtakers += other.asked().at() > later && !other.client().equals(call.client()) ? 1 : 0;
            }
            if (overtakers > terms.overtaking()) {
                report(Rule.ORDER, overtakers + " who had asked later were served before " + call.toRecord());
            }
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

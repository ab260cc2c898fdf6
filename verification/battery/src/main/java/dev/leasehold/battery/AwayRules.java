package dev.leasehold.battery;

import dev.leasehold.battery.Violation.Rule;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The away rules say what may happen while some of several servers are certainly away ({@link Event.Away}).
 *
 * <p><b>A majority.</b> What such servers are asked for after they have gone, they never answer. So a caller that asks then gets
 * no lock, with the exceptions below, and all that a lease can still state comes from requests that were sent before: it ends
 * a lease's time after the servers went, at the latest. The exceptions have two reasons. Answers that they gave just
 * before may still be under way in the proxies, or a process may be slow to read them. And a process keeps one claim for all its
 * callers, and may serve several of them under one lease, the next without the store, but not when 10 ms have passed since the
 * grant. So a caller that asks later may get what was asked for, or held, by another caller of the same process for the same lock and share, but only
 * while such an answer can be under way or a claim's attempt can last, which is the terms' reaction or half a lease, or longer if
 * the process itself is struck meanwhile.
 *
 * <p>The end that a lease states is read after the time that is written beside it. In a process that was slow in between, and
 * heard of servers that had come back, it would belong to the time after the absence; so ends that are stated just before
 * the servers begin again are not judged, nor are those of a process that was stopped, whose clock may stand still, too.
 *
 * <p><b>A minority.</b> The others go on: at no time is nothing granted for longer than the terms' pause. This is not judged
 * while another fault may still have effects: a master that has come back with nothing that proves its memory has no vote for
 * a while, and counts as away, so that one more is a majority.
 */
final class AwayRules {

    /** A process hands a lease over to its own callers for 10 ms; the rest is for a busy machine. */
    private static final Duration LOCAL = Duration.ofMillis(100);

    private final Terms terms;
    private final List<Call> holds;
    private final List<Call> calls;
    private final List<Disturbance> disturbances;
    private final BiConsumer<Rule, String> report;

    AwayRules(Terms terms, List<Call> calls, List<Disturbance> disturbances, BiConsumer<Rule, String> report) {
        this.terms = terms;
        this.calls = calls;
        this.holds = calls.stream().filter(Call::isHold).toList();
        this.disturbances = disturbances;
        this.report = report;
    }

    void judge(List<Event> history) {
        for (Event event : history) {
            if (event instanceof Event.Away away && away.most()) {
                holds.forEach(hold -> withoutMajority(away, hold));
            } else if (event instanceof Event.Away away && !isDisturbedOtherwise(away)) {
                withoutMinority(away);
            }
        }
    }

    private void withoutMajority(Event.Away away, Call hold) {
        Event.Granted granted = hold.granted();
        if (hold.asked().at() > away.at() && granted.at() < away.until() && !isLeftOver(away, hold)) {
            report.accept(Rule.NO_MAJORITY, "asked for and granted during " + away + ": " + hold.toRecord());
        }
        stated(away, hold, granted.at(), granted.validUntil());
        hold.renewals().forEach(renewed -> stated(away, hold, renewed.at(), renewed.validUntil()));
    }

    /** Returns whether a process may have the hold from before the absence. */
    private boolean isLeftOver(Event.Away away, Call hold) {
        long reaction = late();
        List<Disturbance> own = disturbances.stream()
                .filter(fault -> fault.target().equals(hold.client()))
                .filter(fault -> fault.from() <= hold.granted().at() && fault.to() >= away.at() - reaction)
                .toList();
        long since = own.stream().mapToLong(Disturbance::from).reduce(away.at(), Math::min) - reaction;
        long heard = own.stream().mapToLong(Disturbance::to).reduce(away.at(), Math::max);
        return hold.granted().at() - reaction <= heard
                && calls.stream()
                        .filter(other -> other.client().equals(hold.client())
                                && other.asked().lock().equals(hold.asked().lock())
                                && other.asked().share() == hold.asked().share())
                        .anyMatch(other -> other.asked().at() <= away.at() && other.endedAt() >= since);
    }

    /**
     * Returns how late an answer from before the absence may still win: as late as an answer may be read, and not earlier
     * than a claim's attempt is over, which is half a lease.
     */
    private long late() {
        return Math.max(
                terms.reaction().toNanos(),
                terms.lease().dividedBy(2).plus(LOCAL).toNanos());
    }

    private void stated(Event.Away away, Call hold, long at, long validUntil) {
        if (at >= away.at()
                && at <= away.until() - terms.reaction().toNanos()
                && validUntil - away.at() > terms.lease().toNanos()
                && !wasStopped(hold.client(), away)) {
            report.accept(
                    Rule.NO_MAJORITY,
                    "at " + at + " said to be valid until " + validUntil + " during " + away + ": " + hold.toRecord());
        }
    }

    private boolean wasStopped(String client, Event.Away away) {
        return disturbances.stream()
                .filter(fault -> fault.target().equals(client) && fault.stopsItsTarget())
                .anyMatch(fault -> fault.within(away.at() - terms.lease().toNanos(), away.until(), 0) > 0);
    }

    private boolean isDisturbedOtherwise(Event.Away away) {
        return disturbances.stream()
                .filter(fault -> !(fault.target().equals(away.worker())
                        && fault.from() <= away.at()
                        && fault.to() >= away.until()))
                .anyMatch(fault ->
                        fault.within(away.at(), away.until(), terms.recovery().toNanos()) > 0);
    }

    private void withoutMinority(Event.Away away) {
        long last = away.at();
        for (long at :
                holds.stream().mapToLong(hold -> hold.granted().at()).sorted().toArray()) {
            if (at > last && at < away.until()) {
                pause(away, last, at);
                last = at;
            }
        }
        pause(away, last, away.until());
    }

    private void pause(Event.Away away, long from, long to) {
        if (to - from > terms.pause().toNanos()) {
            report.accept(Rule.GOES_ON, "nothing was granted from " + from + " to " + to + " during " + away);
        }
    }
}

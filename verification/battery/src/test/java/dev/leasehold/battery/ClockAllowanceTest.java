package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A clock that is set excuses what the terms of a real plan say, and no more. */
@Tag("slow")
class ClockAllowanceTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    /** A clock is set back by this at most, and perhaps twice in one hold. */
    private static final Duration SET = LEASE.multipliedBy(Nemesis.MOST_LEASES_OF_CLOCK);

    private final List<Event> history = new ArrayList<>();

    private static Terms terms(Fault fault) {
        return new Plan(
                        Peer.LEASEHOLD,
                        StoreKind.REDIS,
                        fault,
                        Duration.ZERO,
                        LEASE,
                        3,
                        1,
                        Worker.Kind.CAREFUL,
                        Duration.ofSeconds(1),
                        Path.of("."))
                .terms(16);
    }

    private List<Rule> judged(Fault fault) {
        return Judge.violations(terms(fault), history, List.of()).stream()
                .map(Violation::rule)
                .toList();
    }

    private void hold(long at, Duration stated) {
        history.add(new Event.Asked(at, "a/0", at, "lock", 1));
        history.add(new Event.Granted(at + 1, "a/0", at, at + 1, -1, at + 1 + stated.toNanos()));
        history.add(new Event.Released(at + 2, "a/0", at, at + 1, at + 1 + stated.toNanos(), true));
    }

    @Test
    @DisplayName("An end that is further away than clocks were set back is rejected")
    void anEndFurtherAwayThanTheClocksIsRejected() {
        Duration most = LEASE.plus(SET.multipliedBy(2));
        hold(0, most);
        assertThat(judged(Fault.CLOCK_BACK)).isEmpty();
        assertThat(judged(Fault.STOP)).containsExactly(Rule.TRUTH);
        hold(10, most.plusNanos(1));
        assertThat(judged(Fault.CLOCK_BACK)).containsExactly(Rule.TRUTH);
    }

    @Test
    @DisplayName("A store that grants nothing for longer than its clock was set back is rejected")
    void aStoreThatStandsStillForTooLongIsRejected() {
        long due = terms(Fault.CLOCK_BACK).recovery().toNanos();
        assertThat(due).isEqualTo(terms(Fault.STOP).recovery().plus(SET).toNanos());
        hold(0, LEASE);
        history.add(new Event.Struck(100, "server 0", Fault.CLOCK_BACK.word()));
        history.add(new Event.Healed(200, "server 0", Fault.CLOCK_BACK.word()));
        hold(200 + due - 1, LEASE);
        history.add(new Event.Healed(400 + 2 * due, "battery", "end"));
        assertThat(judged(Fault.CLOCK_BACK)).isEmpty();
        history.removeIf(event -> event.at() > 200 && event.at() < 400 + due);
        assertThat(judged(Fault.CLOCK_BACK)).containsExactly(Rule.RESUMPTION);
    }
}

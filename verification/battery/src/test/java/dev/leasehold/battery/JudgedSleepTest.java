package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A holder that slept hears of its loss by a clock that stood still meanwhile, at the latest. Times are milliseconds. */
@Tag("slow")
class JudgedSleepTest {

    private static long ns(long millis) {
        return millis * 1_000_000;
    }

    /** Judges a holder whose lease was to end 20 ms after it fell asleep, for 160 ms. */
    private static List<Rule> judged(long told) {
        List<Event> history = new ArrayList<>();
        history.add(new Event.Asked(ns(0), "a/0", 1, "lock", 1));
        history.add(new Event.Granted(ns(10), "a/0", 1, 1, -1, ns(100)));
        history.add(new Event.Struck(ns(80), "a", "suspend"));
        history.add(new Event.Healed(ns(240), "a", "suspend"));
        history.add(new Event.Lost(ns(told), "a/0", 1));
        history.add(new Event.Released(ns(told), "a/0", 1, ns(79), ns(100), false));
        Duration second = Duration.ofMillis(1_000);
        Duration reaction = Duration.ofMillis(100);
        Terms terms = new Terms(
                Promise.EXCLUDED, second, second, second, second, reaction, second, 2, EnumSet.allOf(Rule.class));
        return Judge.violations(terms, history, List.of()).stream()
                .map(Violation::rule)
                .toList();
    }

    @Test
    void aHolderThatSleptMayHearByItsOwnClock() {
        assertThat(judged(355)).isEmpty();
    }

    @Test
    void aHolderThatSleptAndHearsLaterStillIsRejected() {
        assertThat(judged(365)).containsExactly(Rule.TIMELY_LOSS);
    }
}

package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two holders of one slot of two are rejected as two holders of a lock are, and so are its tokens. Times are milliseconds. */
@Tag("slow")
class JudgedSlotsTest {

    private final List<Event> history = new ArrayList<>();
    private long calls;

    private static long ns(long millis) {
        return millis * 1_000_000;
    }

    private List<Rule> judged(Promise promise) {
        Duration second = Duration.ofMillis(1_000);
        Duration reaction = Duration.ofMillis(100);
        Terms terms =
                new Terms(promise, second, second, second, second, reaction, second, 2, EnumSet.allOf(Rule.class));
        return Judge.violations(terms, history, List.of()).stream()
                .map(Violation::rule)
                .toList();
    }

    private void permit(String worker, long asked, long from, long until, long token, int slot) {
        history.add(new Event.Asked(ns(asked), worker, ++calls, "lock", 2));
        history.add(new Event.Granted(ns(from), worker, calls, token, slot, ns(until + 1)));
        history.add(new Event.Released(ns(until), worker, calls, ns(until), ns(until + 1), true));
    }

    private void flush(long at) {
        history.add(new Event.Struck(ns(at), "server", "flush"));
        history.add(new Event.Healed(ns(at + 1), "server", "flush"));
    }

    @Test
    void twoHoldersOfOneSlotAreRejected() {
        permit("a/0", 0, 10, 100, 1, 0);
        permit("b/0", 0, 20, 100, 2, 0);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    @DisplayName("Two holders of one slot are rejected where only tokens are promised")
    void twoHoldersOfOneSlotAreRejectedWithTokens() {
        permit("a/0", 0, 10, 100, 1, 0);
        permit("b/0", 0, 20, 100, 2, 0);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
        assertThat(Judge.overlaps(history)).isEqualTo(1);
    }

    @Test
    @DisplayName("Two holders of two slots are accepted where only tokens are promised")
    void twoHoldersOfTwoSlotsAreAccepted() {
        permit("a/0", 0, 10, 100, 1, 0);
        permit("b/0", 0, 20, 100, 2, 1);
        assertThat(judged(Promise.FENCED)).isEmpty();
        assertThat(Judge.overlaps(history)).isZero();
    }

    @Test
    @DisplayName("Two holders of one slot after a flush are excused where tokens tell")
    void twoHoldersOfOneSlotAfterAFlushAreExcused() {
        permit("a/0", 0, 10, 500, 1, 0);
        flush(50);
        permit("b/0", 5, 60, 200, 2, 0);
        assertThat(judged(Promise.FENCED)).isEmpty();
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aFlushExcusesNoSlotThatWasGivenTwiceBeforeIt() {
        permit("a/0", 0, 10, 100, 1, 0);
        permit("b/0", 0, 20, 100, 2, 0);
        flush(150);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    /** Each of the two was asked for when the one before had been granted, so no clock excuses the smaller token. */
    @Test
    @DisplayName("Tokens of one slot that decrease are rejected where only they are promised")
    void tokensOfOneSlotThatDecreaseAreRejected() {
        permit("a/0", 0, 10, 100, 2, 0);
        flush(105);
        permit("b/0", 110, 120, 200, 1, 0);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.TOKENS);
    }

    @Test
    @DisplayName("One token of one slot twice is rejected where only tokens are promised")
    void oneTokenOfOneSlotTwiceIsRejected() {
        permit("a/0", 0, 10, 100, 1, 0);
        flush(50);
        permit("b/0", 5, 60, 200, 1, 0);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.TOKENS);
    }

    @Test
    void tokensOfTwoSlotsMayDecrease() {
        permit("a/0", 0, 10, 100, 2, 0);
        permit("b/0", 110, 120, 200, 1, 1);
        assertThat(judged(Promise.FENCED)).isEmpty();
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    @DisplayName("A slot that is not below the share is rejected where only tokens are promised")
    void aSlotNotBelowTheShareIsRejected() {
        permit("a/0", 0, 10, 100, 1, 2);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }
}

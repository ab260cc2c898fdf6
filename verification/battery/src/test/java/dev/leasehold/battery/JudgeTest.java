package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.battery.Violation.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each rule rejects a hand-made history that breaks it, and no other. Times are milliseconds. */
class JudgeTest {

    private static final int READER = Integer.MAX_VALUE;

    private final List<Event> history = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private long calls;

    private static long ns(long millis) {
        return millis * 1_000_000;
    }

    private List<Rule> judged(Promise promise) {
        return judged(promise, EnumSet.allOf(Rule.class));
    }

    private List<Rule> judged(Promise promise, Set<Rule> rules) {
        Terms terms = new Terms(
                promise,
                Duration.ofMillis(1_000),
                Duration.ofMillis(1_000),
                Duration.ofMillis(2_000),
                Duration.ofMillis(500),
                Duration.ofMillis(100),
                Duration.ofMillis(1_500),
                2,
                rules);
        return Judge.violations(terms, history, left).stream()
                .map(Violation::rule)
                .toList();
    }

    private long ask(long at, String worker, int share) {
        history.add(new Event.Asked(ns(at), worker, ++calls, "lock", share));
        return calls;
    }

    /** Writes a whole hold, valid for long enough. */
    private void hold(String worker, long asked, long from, long until, long token) {
        hold(worker, asked, from, until, token, 1, -1);
    }

    private void hold(String worker, long asked, long from, long until, long token, int share, int slot) {
        long call = ask(asked, worker, share);
        history.add(new Event.Granted(ns(from), worker, call, token, slot, ns(Math.min(until + 1, from + 1_000))));
        if (until + 1 > from + 1_000) {
            history.add(new Event.Renewed(ns(from + 900), worker, call, ns(until + 1)));
        }
        history.add(new Event.Released(ns(until), worker, call, ns(until), ns(until + 1), true));
    }

    private void fault(String target, String fault, long from, long to) {
        history.add(new Event.Struck(ns(from), target, fault));
        history.add(new Event.Healed(ns(to), target, fault));
    }

    private void end(long at) {
        history.add(new Event.Healed(ns(at), "battery", "end"));
    }

    @Test
    void aHistoryInOrderIsAccepted() {
        hold("a/0", 0, 10, 100, 1);
        hold("b/0", 5, 110, 200, 2);
        hold("a/1", 6, 210, 300, 3, READER, -1);
        hold("b/1", 7, 220, 290, 4, READER, -1);
        hold("a/0", 8, 310, 400, 5, 2, 0);
        hold("b/0", 9, 320, 410, 6, 2, 1);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
        assertThat(judged(Promise.FENCED)).isEmpty();
    }

    @Test
    void twoHoldersAtOnceAreRejected() {
        hold("a/0", 0, 10, 100, 1);
        hold("b/0", 5, 90, 200, 2);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void twoHoldersAtOnceAreCountedWhereNothingIsPromised() {
        hold("a/0", 0, 10, 100, 1);
        hold("b/0", 5, 90, 200, 2);
        hold("a/0", 150, 210, 300, 3);
        assertThat(judged(Promise.NONE)).isEmpty();
        assertThat(Judge.overlaps(history)).isEqualTo(1);
    }

    @Test
    void readersAtOnceAreNotCounted() {
        hold("a/0", 0, 10, 100, 1, READER, -1);
        hold("b/0", 5, 90, 200, 2, READER, -1);
        assertThat(Judge.overlaps(history)).isZero();
        hold("a/1", 50, 95, 150, 3);
        assertThat(Judge.overlaps(history)).isEqualTo(1);
    }

    /** A peer has no tokens: all are 0. */
    @Test
    void onlyTheRulesThatApplyAreJudged() {
        hold("a/0", 0, 10, 100, 0);
        hold("b/0", 5, 110, 200, 0);
        assertThat(judged(Promise.EXCLUDED, EnumSet.of(Rule.EXCLUSION))).isEmpty();
        hold("a/0", 150, 190, 300, 0);
        assertThat(judged(Promise.EXCLUDED, EnumSet.of(Rule.EXCLUSION))).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aWriterBesideAReaderIsRejected() {
        hold("a/0", 0, 10, 100, 1, READER, -1);
        hold("b/0", 5, 90, 200, 2, 1, -1);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void onePermitTooManyIsRejected() {
        hold("a/0", 0, 10, 100, 1, 2, 0);
        hold("b/0", 0, 20, 100, 2, 2, 1);
        hold("c/0", 0, 30, 100, 3, 2, -1);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void twoHoldersAfterAFlushAreExcusedWhereTokensTell() {
        hold("a/0", 0, 10, 500, 1);
        fault("server", "flush", 50, 51);
        hold("b/0", 5, 60, 200, 2);
        assertThat(judged(Promise.FENCED)).isEmpty();
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aFlushExcusesNobodyWhoLearnsOfItTooLate() {
        hold("a/0", 0, 10, 1_500, 1);
        fault("server", "flush", 50, 51);
        hold("b/0", 5, 60, 200, 2);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aFlushExcusesNoPermitTooManyBeforeIt() {
        hold("a/0", 0, 10, 100, 1, 2, 0);
        hold("b/0", 0, 20, 100, 2, 2, 1);
        hold("c/0", 0, 30, 100, 3, 2, -1);
        fault("server", "flush", 150, 151);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aFlushExcusesNothingThatWasGrantedAfterIt() {
        fault("server", "flush", 50, 51);
        hold("a/0", 0, 300, 500, 1);
        hold("b/0", 5, 400, 600, 2);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void aFlushExcusesNoOverlapThatBeganBeforeIt() {
        hold("a/0", 0, 10, 100, 1);
        hold("b/0", 5, 90, 200, 2);
        fault("server", "flush", 150, 151);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.EXCLUSION);
    }

    @Test
    void tokensThatDecreaseAreRejected() {
        hold("a/0", 0, 10, 100, 2);
        hold("b/0", 110, 120, 200, 1);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.TOKENS);
        assertThat(judged(Promise.EXCLUDED)).containsOnly(Rule.TOKENS);
    }

    @Test
    void tokensOfWhoQueuedThatDecreaseAreRejected() {
        hold("a/0", 0, 10, 100, 2);
        hold("b/0", 5, 120, 200, 1);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TOKENS);
    }

    @Test
    void oneTokenTwiceIsRejected() {
        hold("a/0", 0, 10, 100, 1);
        hold("b/0", 5, 110, 200, 1);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.TOKENS);
    }

    @Test
    void aWaiterOvertakenAgainAndAgainIsRejected() {
        for (int i = 0; i < 3; i++) {
            hold("b/0", 150 + 100 * i, 160 + 100 * i, 200 + 100 * i, i + 1);
        }
        hold("a/0", 0, 500, 600, 9);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.ORDER);
    }

    @Test
    void aWaiterThatWasStoppedMayBeOvertaken() {
        fault("a", "stop", 100, 450);
        for (int i = 0; i < 3; i++) {
            hold("b/0", 150 + 100 * i, 160 + 100 * i, 200 + 100 * i, i + 1);
        }
        hold("a/0", 0, 500, 600, 9);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aWaiterOvertakenAFewTimesIsAccepted() {
        for (int i = 0; i < 2; i++) {
            hold("b/0", 150 + 100 * i, 160 + 100 * i, 200 + 100 * i, i + 1);
        }
        hold("a/0", 0, 500, 600, 9);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void beliefBeyondTheStatedEndIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(100)));
        history.add(new Event.Released(ns(120), "a/0", call, ns(110), ns(100), true));
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TRUTH);
        assertThat(judged(Promise.FENCED)).containsExactly(Rule.TRUTH);
    }

    @Test
    void anEndFurtherAwayThanALeaseIsLongIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(1_011)));
        history.add(new Event.Released(ns(120), "a/0", call, ns(110), ns(1_011), true));
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TRUTH);
    }

    @Test
    void aRenewalThatStatesAnEndTooFarAwayIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(100)));
        history.add(new Event.Renewed(ns(50), "a/0", call, ns(1_051)));
        history.add(new Event.Released(ns(120), "a/0", call, ns(110), ns(1_051), true));
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TRUTH);
    }

    @Test
    void aRenewalStatesALaterEnd() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(100)));
        history.add(new Event.Renewed(ns(50), "a/0", call, ns(150)));
        history.add(new Event.Released(ns(120), "a/0", call, ns(110), ns(100), true));
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    private void lossHeardAt(long told) {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(100)));
        history.add(new Event.Lost(ns(told), "a/0", call));
        history.add(new Event.Released(ns(told), "a/0", call, ns(90), ns(100), false));
    }

    @Test
    void aLossThatIsToldLateIsRejected() {
        lossHeardAt(250);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TIMELY_LOSS);
    }

    @Test
    void aLossThatIsNeverToldIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Granted(ns(10), "a/0", call, 1, -1, ns(100)));
        history.add(new Event.Released(ns(110), "a/0", call, ns(90), ns(100), false));
        end(1_000);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TIMELY_LOSS);
    }

    @Test
    void aStoppedProcessMayHearLate() {
        lossHeardAt(250);
        fault("a", "stop", 80, 240);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aStoppedProcessThatHearsLateWhenItGoesOnIsRejected() {
        lossHeardAt(450);
        fault("a", "stop", 80, 240);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TIMELY_LOSS);
    }

    @Test
    void aProcessThatSleepsMayHearLate() {
        lossHeardAt(250);
        fault("a", "suspend", 80, 240);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aProcessThatIsCutOffMustHearInTime() {
        lossHeardAt(250);
        fault("a", "cut", 80, 240);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.TIMELY_LOSS);
    }

    @Test
    void aLossInTimeIsAccepted() {
        lossHeardAt(150);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aWaitWithoutEndIsRejected() {
        ask(0, "a/0", 1);
        end(2_500);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.WAITING);
    }

    @Test
    void aLongWaitIsExcusedByAFault() {
        ask(0, "a/0", 1);
        fault("server", "server stop", 100, 600);
        hold("b/0", 650, 700, 800, 1);
        end(2_500);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
        end(3_300);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.WAITING);
    }

    @Test
    void manyFaultsExcuseNoMoreThanTheyLast() {
        ask(0, "a/0", 1);
        for (int i = 0; i < 10; i++) {
            fault("server" + i, "server stop", 100 + i, 600);
        }
        hold("b/0", 650, 700, 800, 1);
        end(3_300);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.WAITING);
    }

    @Test
    void aCallThatDoesNotEndWhenOrderedToIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Withdrawn(ns(50), "a/0", call, Worker.INTERRUPTED));
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.WAITING);
    }

    @Test
    void aKilledProcessWaitsForNothing() {
        ask(0, "a/0", 1);
        history.add(new Event.Struck(ns(100), "a", "kill"));
        history.add(new Event.Healed(ns(101), "a", "kill"));
        hold("b/0", 90, 200, 300, 1);
        end(9_000);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aFailureWithoutAFaultIsRejected() {
        long call = ask(0, "a/0", 1);
        history.add(new Event.Withdrawn(ns(50), "a/0", call, "failed: no answer"));
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.AVAILABILITY);
        fault("server", "cut", 20, 30);
        assertThat(judged(Promise.EXCLUDED)).isEmpty();
    }

    @Test
    void aStoreThatGrantsNothingAfterAFaultIsRejected() {
        hold("a/0", 0, 10, 100, 1);
        fault("server", "server stop", 200, 300);
        end(2_900);
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.RESUMPTION);
    }

    @Test
    void whatIsLeftInTheStoreIsRejected() {
        left.add("a holder");
        assertThat(judged(Promise.EXCLUDED)).containsExactly(Rule.NOTHING_LEFT);
    }
}

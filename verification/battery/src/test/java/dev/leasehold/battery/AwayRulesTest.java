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

/**
 * These tests show that the rules accept what may happen while servers are away, in hand-made histories, and reject
 * what may not. Times are milliseconds; servers are struck at 1,000 and certainly away from 1,010 to 4,000; leases last
 * for a second, the reaction is 100 ms, what was under way may win for 600 ms, the longest pause is 1,500 ms, the
 * recovery 500 ms.
 */
@Tag("slow")
class AwayRulesTest {

    private final List<Event> history = new ArrayList<>();
    private long calls;

    private static long ns(long millis) {
        return millis * 1_000_000;
    }

    private List<Rule> judged() {
        Terms terms = new Terms(
                Promise.EXCLUDED,
                Duration.ofMillis(1_000),
                Duration.ofMillis(1_000),
                Duration.ofMillis(20_000),
                Duration.ofMillis(500),
                Duration.ofMillis(100),
                Duration.ofMillis(1_500),
                2,
                EnumSet.allOf(Rule.class));
        return Judge.violations(terms, history, List.of()).stream()
                .map(Violation::rule)
                .toList();
    }

    private void away(boolean most) {
        history.add(new Event.Struck(ns(1_000), "servers", "lost"));
        history.add(new Event.Away(ns(1_010), "servers", most, ns(4_000)));
        history.add(new Event.Healed(ns(4_050), "servers", "lost"));
    }

    private long ask(long at, String worker) {
        history.add(new Event.Asked(ns(at), worker, ++calls, "lock", 1));
        return calls;
    }

    /** Writes a hold whose lease says that it ends when {@code valid} says. */
    private long hold(String worker, long asked, long from, long until, long valid) {
        long call = ask(asked, worker);
        history.add(new Event.Granted(ns(from), worker, call, call, -1, ns(valid)));
        history.add(new Event.Released(ns(until), worker, call, ns(until), ns(valid), true));
        return call;
    }

    private long hold(String worker, long asked, long from, long until) {
        return hold(worker, asked, from, until, until + 1);
    }

    private void renewed(long at, String worker, long call, long valid) {
        history.add(new Event.Renewed(ns(at), worker, call, ns(valid)));
    }

    @Test
    @DisplayName("A caller that asks while a majority is away gets nothing before it is back")
    void nothingIsGrantedBeforeAMajorityIsBack() {
        away(true);
        hold("a/0", 1_500, 4_000, 4_100);
        assertThat(judged()).isEmpty();
    }

    @Test
    void aGrantWhileAMajorityIsAwayIsRejected() {
        away(true);
        hold("a/0", 1_020, 1_030, 1_050);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void aGrantJustBeforeAMajorityIsBackIsRejected() {
        away(true);
        hold("a/0", 1_020, 3_999, 4_100);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    @DisplayName("A caller that asked before a majority went may be granted the lock after it")
    void whatWasAskedForBeforeMayBeGrantedAfter() {
        away(true);
        hold("a/0", 900, 1_020, 1_050, 1_950);
        assertThat(judged()).isEmpty();
    }

    /** Its answer was under way for long, or it was read late. */
    @Test
    @DisplayName("A caller that asked before a majority went may be granted the lock long after it")
    void whatWasAskedForBeforeMayBeGrantedLongAfter() {
        away(true);
        hold("a/0", 900, 1_500, 1_600, 1_950);
        assertThat(judged()).isEmpty();
    }

    @Test
    @DisplayName("A lease from before a majority went may go on to another caller of its process")
    void aLeaseFromBeforeMayGoToAnotherCaller() {
        away(true);
        hold("a/0", 900, 1_005, 1_015);
        hold("a/1", 1_012, 1_016, 1_050, 1_950);
        assertThat(judged()).isEmpty();
    }

    @Test
    @DisplayName("A claim from before a majority went may serve another caller of its process")
    void aClaimFromBeforeMayServeAnotherCaller() {
        away(true);
        long left = ask(800, "a/0");
        history.add(new Event.Withdrawn(ns(1_000), "a/0", left, "busy"));
        hold("a/1", 1_012, 1_016, 1_050, 1_950);
        assertThat(judged()).isEmpty();
    }

    @Test
    @DisplayName("A lease from before a majority went may not go on to another process")
    void aLeaseFromBeforeMayNotGoToAnotherProcess() {
        away(true);
        hold("a/0", 900, 1_005, 1_015);
        hold("b/0", 1_012, 1_016, 1_050, 1_950);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void aLeaseFromBeforeAMajorityWentMayNotGoOnLongAfterIt() {
        away(true);
        hold("a/0", 900, 1_005, 1_610);
        hold("a/1", 1_012, 1_611, 1_650, 1_950);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void aClaimThatWasOverBeforeAMajorityWentServesNobody() {
        away(true);
        hold("a/0", 300, 350, 409);
        hold("a/1", 1_012, 1_016, 1_050, 1_950);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    @DisplayName("A claim from before a majority went may serve a process late that was struck itself")
    void aClaimFromBeforeMayServeAStruckProcessLate() {
        history.add(new Event.Struck(ns(700), "a", "black-hole"));
        history.add(new Event.Healed(ns(1_300), "a", "black-hole"));
        away(true);
        long left = ask(600, "a/0");
        history.add(new Event.Withdrawn(ns(750), "a/0", left, "busy"));
        hold("a/1", 1_012, 1_890, 1_895, 1_950);
        assertThat(judged()).isEmpty();
        hold("a/1", 1_896, 1_901, 1_910, 1_950);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void aFaultOfAnotherProcessExcusesNoLateGrant() {
        history.add(new Event.Struck(ns(700), "b", "black-hole"));
        history.add(new Event.Healed(ns(1_500), "b", "black-hole"));
        away(true);
        hold("a/0", 900, 1_005, 1_610);
        hold("a/1", 1_012, 1_611, 1_650, 1_950);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void theEndsThatAProcessStatesThatSleptAreNotJudged() {
        history.add(new Event.Struck(ns(800), "a", "suspend"));
        history.add(new Event.Healed(ns(950), "a", "suspend"));
        away(true);
        hold("a/0", 900, 1_020, 1_150, 2_019);
        assertThat(judged()).isEmpty();
        hold("b/0", 900, 1_200, 1_300, 2_020);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void aLeaseThatIsRenewedWhileAMajorityIsAwayIsRejected() {
        away(true);
        renewed(1_500, "a/0", hold("a/0", 700, 800, 1_900, 1_800), 2_010);
        assertThat(judged()).isEmpty();
        renewed(1_600, "a/0", 1, 2_011);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    @DisplayName("A grant that cannot have been asked for before a majority went is rejected")
    void aGrantAskedForWithoutAMajorityIsRejected() {
        away(true);
        hold("a/0", 900, 1_500, 1_600, 2_011);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    /** The end is read after the time that is written beside it. */
    @Test
    @DisplayName("An end that was perhaps read when the majority was back is accepted")
    void anEndReadWithTheMajorityBackIsAccepted() {
        away(true);
        long call = hold("a/0", 3_400, 4_100, 4_200);
        renewed(3_901, "a/0", call, 4_900);
        assertThat(judged()).isEmpty();
        renewed(3_900, "a/0", call, 4_899);
        assertThat(judged()).containsExactly(Rule.NO_MAJORITY);
    }

    @Test
    void grantsGoOnWhileAMinorityIsAway() {
        away(false);
        hold("a/0", 900, 2_510, 2_600);
        assertThat(judged()).isEmpty();
    }

    @Test
    void pausesAreCountedOnlyWhileAMinorityIsAway() {
        hold("a/0", 800, 900, 950);
        away(false);
        hold("a/0", 960, 2_450, 2_500);
        hold("a/0", 2_510, 2_600, 2_700);
        hold("a/0", 2_710, 4_150, 4_200);
        assertThat(judged()).isEmpty();
    }

    @Test
    void aLongPauseAfterAMinorityWentIsRejected() {
        away(false);
        hold("a/0", 900, 2_511, 2_600);
        assertThat(judged()).containsExactly(Rule.GOES_ON);
    }

    @Test
    void aLongPauseBeforeAMinorityIsBackIsRejected() {
        away(false);
        hold("a/0", 900, 1_050, 1_100);
        hold("a/0", 1_200, 2_499, 2_600);
        hold("a/0", 2_700, 4_000, 4_100);
        assertThat(judged()).containsExactly(Rule.GOES_ON);
    }

    @Test
    @DisplayName("A store that grants nothing while a minority is away is rejected")
    void standingStillWithoutAMinorityIsRejected() {
        away(false);
        hold("a/0", 900, 1_005, 1_008);
        hold("a/0", 1_009, 4_040, 4_100);
        assertThat(judged()).containsExactly(Rule.GOES_ON);
    }

    @Test
    void aPauseIsExcusedByAnotherFaultThatMayHaveEffects() {
        history.add(new Event.Struck(ns(400), "server", "restart"));
        history.add(new Event.Healed(ns(511), "server", "restart"));
        away(false);
        hold("a/0", 900, 4_040, 4_100);
        assertThat(judged()).isEmpty();
    }

    @Test
    void aPauseIsNotExcusedByAFaultThatIsOver() {
        history.add(new Event.Struck(ns(400), "server", "restart"));
        history.add(new Event.Healed(ns(510), "server", "restart"));
        away(false);
        hold("a/0", 600, 700, 800);
        hold("a/0", 900, 4_040, 4_100);
        assertThat(judged()).containsExactly(Rule.GOES_ON);
    }
}

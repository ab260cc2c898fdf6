package dev.leasehold.testkit;

import static dev.leasehold.testkit.HoldRecord.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.testkit.HoldRecord.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A checker is worth what it refuses: one history per promise that must fail, beside one that must not. */
class HistoryCheckerTest {

    private static final HistoryChecker PLAIN = HistoryChecker.of(Duration.ZERO);
    private static final HistoryChecker ORDER = PLAIN.withOrder(Duration.ofNanos(5), 2);
    private static final HistoryChecker PROGRESS = PLAIN.withProgress(Duration.ofNanos(100));

    @Test
    void acceptsHoldsThatFollowEachOther() {
        assertAccepted(PLAIN, hold("a", 1, 0, 10, 20), hold("b", 2, 5, 20, 30), hold("a", 3, 21, 31, 40));
    }

    @Test
    void refusesTwoHoldersAtOnce() {
        assertRefused(PLAIN, "exclusion", hold("a", 1, 0, 10, 20), hold("b", 2, 5, 19, 30));
    }

    @Test
    void refusesBothOfTwoShortHoldsDuringALongOne() {
        List<String> found =
                PLAIN.violations(List.of(hold("a", 1, 0, 10, 100), hold("b", 2, 5, 20, 30), hold("c", 3, 5, 90, 91)));
        assertThat(found)
                .hasSize(2)
                .allSatisfy(violation -> assertThat(violation).startsWith("exclusion"));
    }

    @Test
    void refusesASecondHolderBesideOneThatNeverEnds() {
        assertRefused(
                PLAIN,
                "exclusion",
                new HoldRecord("a", "x", 1, 0, 10, NEVER, NEVER, End.OPEN),
                hold("b", 2, 5, 1_000_000, 1_000_001));
    }

    @Test
    void acceptsAsManyAsTheSmallestShare() {
        assertAccepted(
                PLAIN,
                shared("a", 1, 10, 40, 3, 0),
                shared("b", 2, 15, 30, 3, 1),
                shared("c", 3, 20, 30, READER, -1),
                shared("a", 4, 30, 60, 3, 1));
        assertAccepted(
                PLAIN,
                shared("a", 1, 10, 40, READER, -1),
                shared("b", 3, 11, 40, READER, -1),
                shared("c", 2, 12, 40, READER, -1));
    }

    @Test
    void refusesMoreThanTheOwnShare() {
        assertRefused(
                PLAIN,
                "exclusion",
                shared("a", 1, 10, 40, READER, -1),
                shared("b", 2, 15, 30, READER, -1),
                shared("c", 3, 20, 30, 2, 0));
    }

    @Test
    void refusesMoreThanAnotherOnesShare() {
        assertRefused(
                PLAIN,
                "exclusion",
                shared("a", 1, 10, 40, 2, 0),
                shared("b", 2, 15, 30, 5, 1),
                shared("c", 3, 29, 50, 5, 2));
    }

    @Test
    void refusesAReaderBesideAWriter() {
        assertRefused(PLAIN, "exclusion", shared("a", 1, 10, 40, READER, -1), hold("b", 2, 5, 39, 60));
        assertRefused(PLAIN, "exclusion", hold("b", 1, 5, 10, 60), shared("a", 2, 59, 90, READER, -1));
    }

    @Test
    void refusesAMutexBesideOneOfManyPermits() {
        assertRefused(
                PLAIN,
                "exclusion",
                shared("a", 1, 10, 20, 9, 0),
                shared("b", 2, 11, 90, 9, 1),
                hold("c", 3, 5, 50, 60));
    }

    @Test
    void refusesTwoHoldersOfASlot() {
        assertRefused(PLAIN, "slots", shared("a", 1, 10, 40, 3, 1), shared("b", 2, 39, 50, 3, 1));
    }

    @Test
    void refusesASlotThatIsNotBelowTheShare() {
        assertRefused(PLAIN, "slots", shared("a", 1, 10, 40, 3, 3));
    }

    @Test
    void refusesATokenOfASlotThatDoesNotIncrease() {
        assertRefused(PLAIN, "slots", shared("a", 2, 10, 40, 3, 1), shared("b", 1, 40, 50, 3, 1));
        assertAccepted(PLAIN, shared("a", 2, 10, 40, 3, 1), shared("b", 1, 11, 50, 3, 0));
    }

    @Test
    void refusesAReaderBelowAnEarlierWriter() {
        assertRefused(PLAIN, "token order", hold("a", 2, 0, 10, 20), shared("b", 1, 20, 30, READER, -1));
        assertRefused(PLAIN, "token order", shared("a", 2, 10, 20, READER, -1), hold("b", 1, 5, 20, 30));
    }

    private static final int READER = Integer.MAX_VALUE;

    private static HoldRecord shared(String client, long token, long from, long to, int share, int slot) {
        return new HoldRecord(client, "x", token, 0, from, to, NEVER, End.RELEASED, share, slot);
    }

    @Test
    void locksOfDifferentNamesHaveNothingToDoWithEachOther() {
        assertAccepted(PLAIN, hold("a", 2, 0, 10, 20), new HoldRecord("b", "y", 1, 0, 15, 30, NEVER, End.RELEASED));
    }

    @Test
    void refusesATokenThatDoesNotIncrease() {
        assertRefused(PLAIN, "token order", hold("a", 2, 0, 10, 20), hold("b", 1, 5, 20, 30));
        assertRefused(PLAIN, "token order", hold("a", 2, 0, 10, 20), hold("b", 2, 5, 20, 30));
    }

    @Test
    void refusesALossThatWasNoticedAfterTheDeadline() {
        assertAccepted(PLAIN, new HoldRecord("a", "x", 1, 0, 10, 50, 50, End.LOST));
        assertRefused(PLAIN, "truthful loss", new HoldRecord("a", "x", 1, 0, 10, 51, 50, End.LOST));
        assertAccepted(HistoryChecker.of(Duration.ofNanos(1)), new HoldRecord("a", "x", 1, 0, 10, 51, 50, End.LOST));
    }

    @Test
    @DisplayName("Refuses a hold that was believed and released after its deadline")
    void refusesABeliefBeyondItsDeadline() {
        assertRefused(PLAIN, "truthful loss", new HoldRecord("a", "x", 1, 0, 10, 51, 50, End.RELEASED));
    }

    @Test
    void refusesACallerThatOvertakesAnotherOfItsClient() {
        assertAccepted(ORDER, hold("a", 1, 5, 10, 20), hold("a", 2, 0, 20, 30));
        assertRefused(ORDER, "order among the callers", hold("a", 1, 6, 10, 20), hold("a", 2, 0, 20, 30));
    }

    @Test
    void refusesAClientThatOvertakesAnother() {
        assertAccepted(ORDER, hold("a", 1, 0, 10, 20), hold("b", 2, 1, 20, 30), hold("c", 3, 2, 30, 40));
        assertRefused(
                ORDER,
                "order among clients",
                hold("a", 1, 0, 10, 20),
                hold("c", 2, 17, 20, 30),
                hold("b", 3, 11, 30, 40));
    }

    @Test
    @DisplayName("Refuses a client that comes back before one that has waited longer")
    void refusesAClientBackBeforeALongerWaiter() {
        assertRefused(
                ORDER,
                "order among clients",
                hold("a", 1, 0, 10, 20),
                hold("b", 2, 1, 20, 30),
                hold("a", 3, 1, 30, 40),
                hold("c", 4, 1, 40, 50));
    }

    @Test
    @DisplayName("Accepts that a client stands in the queue for an older caller that gave up")
    void acceptsTheQueuePlaceOfACallerThatGaveUp() {
        HoldRecord[] overtaking = {
            hold("a", 1, 0, 10, 50), hold("c", 2, 35, 50, 60), hold("b", 3, 20, 60, 70),
        };
        assertRefused(ORDER, "order among clients", overtaking);
        List<HoldRecord> explained = new ArrayList<>(List.of(overtaking));
        explained.add(HoldRecord.givenUp("c", "x", 12, 40));
        assertThat(ORDER.violations(explained)).isEmpty();
    }

    @Test
    void acceptsLocalHandOversUpToTheirNumberAndRefusesMore() {
        HoldRecord[] fair = {
            hold("a", 1, 0, 10, 20), hold("a", 2, 2, 20, 30), hold("a", 3, 3, 30, 40), hold("b", 4, 1, 40, 50)
        };
        assertAccepted(ORDER, fair);
        HoldRecord[] unfair = {
            hold("a", 1, 0, 10, 20),
            hold("a", 2, 2, 20, 30),
            hold("a", 3, 3, 30, 40),
            hold("a", 4, 4, 40, 50),
            hold("b", 5, 1, 50, 60)
        };
        assertRefused(ORDER, "bounded turns", unfair);
    }

    @Test
    void acceptsALongTurnOfAClientForWhichNobodyWaits() {
        List<HoldRecord> history = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            history.add(hold("a", i + 1, 10 * i, 10 * i + 1, 10 * i + 9));
        }
        history.add(hold("b", 100, 492, 500, 510));
        assertThat(ORDER.violations(history)).isEmpty();
    }

    @Test
    void refusesALockThatStaysFreeWhileSomebodyWaits() {
        assertAccepted(PROGRESS, hold("a", 1, 0, 10, 20), hold("b", 2, 15, 120, 130));
        assertRefused(PROGRESS, "progress", hold("a", 1, 0, 10, 20), hold("b", 2, 15, 121, 130));
        assertAccepted(PROGRESS, hold("a", 1, 0, 10, 20), hold("b", 2, 900, 1_000, 1_010));
    }

    @Test
    @DisplayName("Refuses a request that is never served though the lock is free")
    void refusesARequestNeverServedByAFreeLock() {
        assertAccepted(PROGRESS, hold("a", 1, 0, 10, 20), HoldRecord.givenUp("b", "x", 0, 120));
        assertRefused(PROGRESS, "progress", hold("a", 1, 0, 10, 20), HoldRecord.givenUp("b", "x", 0, 121));
        assertRefused(PROGRESS, "progress", HoldRecord.givenUp("b", "x", 0, 121));
    }

    @Test
    void theOrderOfTheRecordsDoesNotMatter() {
        List<HoldRecord> history = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            history.add(hold(i % 2 == 0 ? "a" : "b", i + 1, 10 * i - 10, 10 * i, 10 * i + 9));
        }
        Collections.shuffle(history, new Random(1));
        assertThat(ORDER.withProgress(Duration.ofNanos(100)).violations(history))
                .isEmpty();
    }

    @Test
    void checkNamesWhatIsWrong() {
        assertThatThrownBy(() -> PLAIN.check(List.of(hold("a", 1, 0, 10, 20), hold("b", 2, 5, 19, 30))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exclusion");
    }

    @Test
    void aRecordSurvivesItsLine() {
        HoldRecord odd = new HoldRecord("c 1", "a b\n%😀", 7, -1, 2, NEVER, NEVER, End.OPEN);
        assertThat(odd.toLine()).doesNotContain("\n");
        assertThat(HoldRecord.parse(odd.toLine())).isEqualTo(odd);
    }

    private static HoldRecord hold(String client, long token, long requested, long acquired, long ended) {
        return new HoldRecord(client, "x", token, requested, acquired, ended, NEVER, End.RELEASED);
    }

    private static void assertAccepted(HistoryChecker checker, HoldRecord... history) {
        assertThat(checker.violations(List.of(history))).isEmpty();
    }

    private static void assertRefused(HistoryChecker checker, String promise, HoldRecord... history) {
        assertThat(checker.violations(List.of(history)))
                .isNotEmpty()
                .allSatisfy(violation -> assertThat(violation).startsWith(promise));
    }
}

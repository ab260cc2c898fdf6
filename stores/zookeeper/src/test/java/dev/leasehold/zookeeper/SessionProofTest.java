package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SessionProofTest {

    private static final long SECOND = 1_000_000_000L;

    private final SessionProof proof = new SessionProof(Duration.ofSeconds(12));

    private static ClockReading at(double seconds) {
        return new ClockReading((long) (seconds * SECOND), (long) (seconds * 1_000_000) + 77_000_000);
    }

    private static double deadlineOf(Validity validity) {
        return validity.deadline() / (double) SECOND;
    }

    /** Returns what the one formula leaves of a duration. */
    private static double usable(double seconds) {
        return seconds * 0.99 - 0.002;
    }

    @Test
    void nothingIsProvenByNothing() {
        assertThat(proof.validity()).isNull();
        proof.heard(at(1));
        assertThat(proof.validity()).isNull();
    }

    /** A write that was answered without delay. */
    private void written(double sentAt) {
        proof.written(at(sentAt), at(sentAt + 0.001));
    }

    private void reached(double sentAt) {
        proof.reached(at(sentAt), at(sentAt + 0.001));
    }

    private void deadlineIs(double seconds) {
        assertThat(deadlineOf(proof.validity())).isBetween(seconds - 0.001, seconds + 0.001);
    }

    @Test
    void oneWriteAloneDoesNotProveThatTheLeaderHasHeard() {
        written(1);
        assertThat(proof.validity()).isNull();
    }

    @Test
    void manyWritesAtOnceDoNotProveThatTheLeaderHasHeard() {
        written(1);
        written(1.1);
        written(2);
        written(3.9);
        assertThat(proof.validity()).isNull();
    }

    @Test
    @DisplayName("two writes prove that the leader has heard of a request answered five sixteenths before")
    void twoWritesProveWhatTheLeaderHasHeard() {
        reached(1);
        written(4.8);
        assertThat(proof.validity()).as("a server that was cut off until now").isNull();
        written(4.9);
        deadlineIs(4.9 + usable(8));
        assertThat(proof.validity().sentAt()).isEqualTo(at(4.9));
    }

    /** The leader pings each half tick, so each quarter of a time-out of two ticks, and somewhat later at times. */
    @Test
    void aTimeoutOfTwoTicksLeavesTheLeaderTimeToPing() {
        reached(1);
        written(4.5);
        written(4.6);
        assertThat(proof.validity()).isNull();
    }

    @Test
    void theLastSuchRequestCounts() {
        for (double sentAt = 0; sentAt <= 50; sentAt += 3) {
            reached(sentAt);
        }
        written(50);
        written(50.1);
        deadlineIs(45 + usable(12));
    }

    @Test
    @DisplayName("a second write that was sent before the first was answered proves nothing")
    void secondWrite_sentBeforeFirstAnswered_provesNothing() {
        reached(1);
        proof.written(at(5.1), at(5.5));
        proof.written(at(5.2), at(5.6));
        assertThat(proof.validity()).isNull();
        written(5.51);
        assertThat(proof.validity()).isNotNull();
    }

    @Test
    @DisplayName("A request whose answer took long may have reached the server as late")
    void aSlowRequestMayHaveArrivedAsLateAsItsAnswer() {
        proof.reached(at(1), at(4));
        written(7.7);
        written(7.72);
        assertThat(proof.validity()).isNull();
        written(7.8);
        written(7.9);
        deadlineIs(1 + usable(12));
    }

    @Test
    @DisplayName("A request that reached the server longer ago than the timeout is forgotten")
    void whatCameLongerAgoThanTheTimeoutIsForgotten() {
        reached(1);
        reached(20);
        written(21);
        written(22);
        assertThat(proof.validity()).isNull();
    }

    @Test
    void anotherWriteIsWorthItsWhileAfterAPauseOnly() {
        reached(1);
        assertThat(proof.gainsByAnotherWrite()).isFalse();
        written(5);
        assertThat(proof.gainsByAnotherWrite()).isTrue();
        written(5.1);
        assertThat(proof.gainsByAnotherWrite()).isFalse();
        written(9);
        assertThat(proof.gainsByAnotherWrite()).isTrue();
        written(9.1);
        assertThat(proof.gainsByAnotherWrite()).isFalse();
    }

    @Test
    void underConstantUseNoOtherWriteIsNeeded() {
        proof.heard(at(0));
        for (int i = 0; i < 10_000; i++) {
            written(i / 100.0);
            assertThat(proof.gainsByAnotherWrite()).isFalse();
        }
    }

    @Test
    void afterAPauseWithReadsTwoWritesAreWorthAThirdAtLeast() {
        for (double phase = 0; phase < 3; phase += 0.1) {
            SessionProof paused = new SessionProof(Duration.ofSeconds(12));
            paused.written(at(1), at(1));
            for (int i = 1; i <= 1_000; i++) {
                paused.reached(at(3 * i), at(3 * i + 0.001));
            }
            double claimedAt = 3_000 + phase;
            paused.written(at(claimedAt), at(claimedAt + 0.001));
            paused.written(at(claimedAt + 0.002), at(claimedAt + 0.003));
            assertThat(deadlineOf(paused.validity()) - claimedAt).isBetween(4.4, 8.0);
        }
    }

    @Test
    @DisplayName("Clocks that drift apart in hours of pause are not taken for a sleep")
    void slowDriftIsNotTakenForASleep() {
        for (int i = 1; i <= 10_000; i++) {
            proof.reached(at(3 * i, 0.001 * i), at(3 * i, 0.001 * i));
        }
        proof.written(at(30_001, 10), at(30_001.1, 10));
        proof.written(at(30_002, 10), at(30_002.1, 10));
        assertThat(deadlineOf(proof.validity()) - 30_002).isGreaterThan(4);
    }

    @Test
    void noMoreThanTwoThirdsAreReliedOnEvenIfMoreIsProven() {
        proof.heard(at(9.9));
        written(10);
        assertThat(deadlineOf(proof.validity())).isBetween(10 + usable(8) - 0.001, 10 + usable(8) + 0.001);
    }

    @Test
    @DisplayName("A late answer after a long silence proves no more than the one before")
    void aLateAnswerProvesOnlyWhatWasHeardBefore() {
        proof.heard(at(0));
        written(10);
        // The leader may have heard nothing since 0: the session ends at 12.
        assertThat(deadlineOf(proof.validity())).isBetween(usable(12) - 0.001, usable(12) + 0.001);
    }

    @Test
    void pairsOfWritesAThirdApartProveTwoThirdsEachTime() {
        proof.heard(at(0));
        for (int i = 0; i < 20; i++) {
            written(4.0 * i);
            written(4.0 * i + 0.01);
            deadlineIs(i == 0 ? 0.01 + usable(8) : Math.min(4.0 * i + 0.01 + usable(8), 4.0 * (i - 1) + usable(12)));
        }
    }

    @Test
    void manyAnswersAtOnceProveNoLessThanFew() {
        proof.heard(at(0));
        for (int i = 0; i < 100_000; i++) {
            written(i / 1_000.0);
        }
        assertThat(deadlineOf(proof.validity())).isBetween(99.999 + usable(8) - 0.75, 99.999 + usable(8) + 0.001);
    }

    @Test
    void answersThatComeInAnotherOrderMoveNothingBack() {
        proof.heard(at(0));
        written(4);
        Validity before = proof.validity();
        written(2);
        assertThat(proof.validity()).isEqualTo(before);
    }

    private static ClockReading at(double seconds, double ahead) {
        ClockReading both = at(seconds);
        return new ClockReading(both.nanos(), both.wallMicros() + (long) (ahead * 1_000_000));
    }

    @Test
    void whatWasProvenBeforeTheMachineSleptIsWorthNothing() {
        proof.heard(at(0));
        reached(1);
        written(4);
        proof.written(at(5, 3_600), at(5.1, 3_600));
        assertThat(proof.validity()).isNull();
        proof.written(at(5.2, 3_600), at(5.3, 3_600));
        assertThat(proof.validity()).isNull();
        proof.written(at(9, 3_600), at(9.1, 3_600));
        proof.written(at(9.2, 3_600), at(9.3, 3_600));
        deadlineIs(5 + usable(12));
    }

    @Test
    void anAnswerAcrossWhichTheMachineSleptProvesNothing() {
        proof.heard(at(0));
        proof.written(at(1), at(2, 3_600));
        assertThat(proof.validity()).isNull();
    }

    @Test
    void shortSleepsThatAddUpAreTakenOff() {
        reached(1);
        proof.written(at(5, 0.4), at(5.1, 0.4));
        proof.written(at(5.2, 0.8), at(5.3, 0.8));
        proof.written(at(8, 1.1), at(8.1, 1.1));
        deadlineIs(1 + usable(12) - 1.1);
    }

    @Test
    void shortSleepsThatAddUpToALongOneAreALongOne() {
        for (int i = 0; i <= 8; i++) {
            proof.reached(at(i, i), at(i + 0.1, i));
        }
        proof.written(at(8.2, 8), at(8.3, 8));
        proof.written(at(8.4, 8), at(8.5, 8));
        assertThat(proof.validity()).isNull();
    }

    @Test
    void aClockThatIsSetBackIsNoBetter() {
        proof.heard(at(0));
        written(4);
        proof.written(at(5, -3_600), at(5.1, -3_600));
        assertThat(proof.validity()).isNull();
    }

    /** Two wrongs make no right: the clocks agree again, and the session is as old as before. */
    @Test
    void aSleepIsNotUndoneByAClockThatIsSetBackAfterIt() {
        proof.heard(at(0));
        proof.reached(at(1, 3_600), at(1.1, 3_600));
        written(4);
        assertThat(proof.validity()).isNull();
    }

    @Test
    @DisplayName("An answer across a sleep proves nothing also once the clocks agree again")
    void anAnswerAcrossASleepProvesNothing() {
        proof.reached(at(1), at(2, 1.3));
        proof.written(at(6, 0.6), at(6.1, 0.6));
        written(7);
        assertThat(proof.validity()).isNull();
    }
}

package dev.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
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

    /** What the one formula leaves of a duration. */
    private static double usable(double seconds) {
        return seconds * 0.99 - 0.002;
    }

    @Test
    void nothingIsProvenByNothing() {
        assertThat(proof.validity()).isNull();
        proof.heard(at(1));
        assertThat(proof.validity()).isNull();
    }

    @Test
    void oneAnswerAloneDoesNotProveThatTheLeaderHasHeard() {
        proof.answered(at(1));
        proof.answered(at(2));
        assertThat(proof.validity()).isNull();
    }

    @Test
    void anAnswerProvesThatTheLeaderHasHeardOfRequestsAQuarterBefore() {
        proof.answered(at(1));
        proof.answered(at(3.9));
        assertThat(proof.validity()).isNull();
        proof.answered(at(4));
        assertThat(deadlineOf(proof.validity())).isBetween(4 + usable(8) - 0.001, 4 + usable(8) + 0.001);
        assertThat(proof.validity().sentAt()).isEqualTo(at(4));
    }

    @Test
    void aReadProvesForALaterWriteThatTheLeaderHasHeardAndNothingByItself() {
        proof.answeredByAnyServer(at(1));
        proof.answeredByAnyServer(at(8));
        assertThat(proof.validity()).isNull();
        proof.answered(at(10.9));
        // Of the read at 8 the leader may not have heard yet.
        assertThat(deadlineOf(proof.validity())).isBetween(1 + usable(12) - 0.001, 1 + usable(12) + 0.001);
        proof.answered(at(11));
        assertThat(deadlineOf(proof.validity())).isBetween(11 + usable(8) - 0.001, 11 + usable(8) + 0.001);
    }

    @Test
    void afterAPauseWithReadsTheFirstWriteIsWorthFiveTwelfthsAtOnce() {
        for (double phase = 0; phase < 4; phase += 0.1) {
            SessionProof paused = new SessionProof(Duration.ofSeconds(12));
            paused.answered(at(1));
            for (int i = 1; i <= 1_000; i++) {
                paused.answeredByAnyServer(at(4 * i));
            }
            double claimedAt = 4_000 + phase;
            paused.answered(at(claimedAt));
            assertThat(deadlineOf(paused.validity()) - claimedAt).isBetween(4.9, 8.0);
        }
    }

    @Test
    void clocksThatDriftApartInHoursOfPauseAreNotTakenForASleep() {
        proof.answered(at(1));
        for (int i = 1; i <= 10_000; i++) {
            proof.answeredByAnyServer(new ClockReading(4 * i * SECOND, at(4 * i).wallMicros() + 1_000L * i));
        }
        proof.answered(new ClockReading(40_003 * SECOND, at(40_003).wallMicros() + 10_000_000L));
        assertThat(deadlineOf(proof.validity()) - 40_003).isGreaterThan(4.9);
    }

    @Test
    void noMoreThanTwoThirdsAreReliedOnEvenIfMoreIsProven() {
        proof.heard(at(9.9));
        proof.answered(at(10));
        assertThat(deadlineOf(proof.validity())).isBetween(10 + usable(8) - 0.001, 10 + usable(8) + 0.001);
    }

    @Test
    void aLateAnswerAfterALongSilenceIsWorthOnlyWhatWasHeardBefore() {
        proof.heard(at(0));
        proof.answered(at(10));
        // The leader may have heard nothing since 0: the session ends at 12.
        assertThat(deadlineOf(proof.validity())).isBetween(usable(12) - 0.001, usable(12) + 0.001);
    }

    @Test
    void answersAThirdApartProveTwoThirdsEachTime() {
        proof.heard(at(0));
        for (int i = 0; i < 20; i++) {
            proof.answered(at(4.0 * i));
            assertThat(deadlineOf(proof.validity()) - 4.0 * i).isBetween(usable(12) - 4 - 0.001, usable(8) + 0.001);
        }
    }

    @Test
    void manyAnswersAtOnceProveNoLessThanFew() {
        proof.heard(at(0));
        for (int i = 0; i < 100_000; i++) {
            proof.answered(at(i / 1_000.0));
        }
        assertThat(deadlineOf(proof.validity())).isBetween(99.999 + usable(8) - 0.001, 99.999 + usable(8) + 0.001);
    }

    @Test
    void answersThatComeInAnotherOrderMoveNothingBack() {
        proof.heard(at(0));
        proof.answered(at(4));
        Validity before = proof.validity();
        proof.answered(at(2));
        assertThat(proof.validity()).isEqualTo(before);
    }

    @Test
    void whatWasProvenBeforeTheMachineSleptIsWorthNothing() {
        proof.heard(at(0));
        proof.answered(at(4));
        ClockReading afterAnHour = new ClockReading(5 * SECOND, at(5).wallMicros() + 3_600_000_000L);
        proof.answered(afterAnHour);
        assertThat(proof.validity()).isNull();
        ClockReading aQuarterLater = new ClockReading(8 * SECOND, at(8).wallMicros() + 3_600_000_000L);
        proof.answered(aQuarterLater);
        assertThat(deadlineOf(proof.validity())).isBetween(8 + usable(8) - 0.001, 8 + usable(8) + 0.001);
    }

    @Test
    void aClockThatIsSetBackIsNoBetter() {
        proof.heard(at(0));
        proof.answered(at(4));
        proof.answered(new ClockReading(5 * SECOND, at(5).wallMicros() - 3_600_000_000L));
        assertThat(proof.validity()).isNull();
    }
}

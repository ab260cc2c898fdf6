package dev.leasehold.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockStampTest {

    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final ClockReading SENT = new ClockReading(seconds(-100), 1_700_000_000_000_000L);
    private static final String STAMP = ClockStamp.of(SENT);

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void theDeadlineCountsFromTheQuestionWhoseStampIsTold() {
        Validity validity = ClockStamp.ofPushed(STAMP, PERIOD, seconds(-98));
        assertThat(validity).isEqualTo(Validity.of(SENT, PERIOD));
    }

    @Test
    void aMessageThatIsReadLateOrAgainGivesNoLaterDeadline() {
        Validity first = ClockStamp.ofPushed(STAMP, PERIOD, seconds(-98));
        Validity again = ClockStamp.ofPushed(STAMP, PERIOD, seconds(-98) + 1);
        assertThat(again).isEqualTo(first);
    }

    /** With less left than half of the claim period, a holder could lose its lease before it has been renewed. */
    @Test
    void aStampOlderThanHalfAClaimPeriodIsAReasonToAsk() {
        long half = SENT.nanos() + PERIOD.toNanos() / 2;
        assertThat(ClockStamp.ofPushed(STAMP, PERIOD, half)).isEqualTo(Validity.of(SENT, PERIOD));
        assertThat(ClockStamp.ofPushed(STAMP, PERIOD, half + 1)).isNull();
        assertThat(ClockStamp.ofPushed(STAMP, PERIOD, seconds(-40))).isNull();
    }

    @Test
    void aStampFromTheFutureIsNone() {
        assertThat(ClockStamp.ofPushed(STAMP, PERIOD, seconds(-101))).isNull();
    }

    @Test
    void aTextThatIsNoStampIsAReasonToAsk() {
        for (String other : new String[] {"", "-".repeat(32), STAMP + "0", "g".repeat(32), STAMP.substring(1)}) {
            assertThat(ClockStamp.ofPushed(other, PERIOD, seconds(1))).isNull();
        }
    }
}

package dev.leasehold.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExchangeTest {

    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final long SERVER = 1_800_000_000_000_000L;
    private static final long SENT = seconds(100);
    private static final Exchange LAST = new Exchange("run", new ClockReading(SENT, 7), SERVER);

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private static long serverAfter(long seconds) {
        return SERVER + TimeUnit.SECONDS.toMicros(seconds);
    }

    @Test
    void theDeadlineCountsFromTheQuestionThatTheServerLastAnswered() {
        // Asked at 100 s; granted 3 s later by the server's clock, for 5 s.
        Validity validity = Exchange.ofPushed(LAST, "run", serverAfter(8), seconds(200), PERIOD);
        assertThat(validity).isNotNull();
        assertThat(validity.deadline()).isEqualTo(SENT + seconds(8) / 100 * 99 - 2_000_000);
        assertThat(validity.sentAt()).isEqualTo(LAST.sentAt());
    }

    @Test
    void aMessageThatIsReadLateIsWorthNothing() {
        Validity validity = Exchange.ofPushed(LAST, "run", serverAfter(8), seconds(160), PERIOD);
        assertThat(validity).isNotNull();
        assertThat(validity.isOver(seconds(160))).isTrue();
    }

    @Test
    void aServerClockThatWasSetForwardIsBoundedByTheClaimPeriod() {
        Validity validity = Exchange.ofPushed(LAST, "run", serverAfter(3608), seconds(103), PERIOD);
        assertThat(validity).isNotNull();
        assertThat(validity.deadline()).isEqualTo(seconds(108));
    }

    @Test
    void aServerClockThatWasSetBackLeavesNothing() {
        Validity validity = Exchange.ofPushed(LAST, "run", SERVER - 1, seconds(103), PERIOD);
        assertThat(validity).isNotNull();
        assertThat(validity.isOver(seconds(103))).isTrue();
    }

    @Test
    void anotherRunOrNoExchangeIsOnlyAReasonToAsk() {
        assertThat(Exchange.ofPushed(LAST, "other", serverAfter(8), seconds(103), PERIOD))
                .isNull();
        assertThat(Exchange.ofPushed(null, "run", serverAfter(8), seconds(103), PERIOD))
                .isNull();
    }
}

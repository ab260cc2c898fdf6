package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.Validity;
import org.junit.jupiter.api.Test;

class NodeDeadlinesTest {

    private static final long JUMP = 1_000;

    /** A confirmation whose request was sent at one time, and that is good until another. */
    private static Validity sent(long sentAt, long deadline) {
        return new Validity(new ClockReading(sentAt, sentAt / 1000), deadline);
    }

    private static ClockReading at(long nanos) {
        return new ClockReading(nanos, nanos / 1000);
    }

    private static NodeDeadlines of(int majority, Validity... nodes) {
        return new NodeDeadlines(majority, nodes);
    }

    @Test
    void theMajorityThLargestDecides() {
        NodeDeadlines five = of(3, sent(0, 50_000), sent(0, 10_000), null, sent(0, 40_000), sent(0, 30_000));
        assertThat(five.ofMajority(at(0), JUMP).deadline()).isEqualTo(30_000);
        five.confirm(2, sent(0, 60_000));
        assertThat(five.ofMajority(at(0), JUMP).deadline()).isEqualTo(40_000);
    }

    @Test
    void lessThanAMajorityIsNothing() {
        assertThat(of(2, sent(0, 50_000), null, null).ofMajority(at(0), JUMP)).isNull();
    }

    @Test
    void aDeadlineIsNeverMovedBackByALateConfirmation() {
        NodeDeadlines deadlines = of(2, sent(0, 50_000), sent(0, 40_000), null);
        deadlines.confirm(1, sent(0, 20_000));
        assertThat(deadlines.ofMajority(at(0), JUMP).deadline()).isEqualTo(40_000);
    }

    @Test
    void aNodeCountsOnlyWhileItHasTheLease() {
        NodeDeadlines deadlines = of(2, sent(0, 50_000), sent(0, 40_000), sent(0, 30_000));
        deadlines.gone(0);
        assertThat(deadlines.ofMajority(at(0), JUMP).deadline()).isEqualTo(30_000);
        deadlines.gone(1);
        assertThat(deadlines.ofMajority(at(0), JUMP)).isNull();
        deadlines.confirm(0, sent(0, 10_000));
        assertThat(deadlines.ofMajority(at(0), JUMP).deadline()).isEqualTo(10_000);
    }

    @Test
    void aConfirmationBeforeAClockJumpIsWorthNothing() {
        NodeDeadlines deadlines = of(2, sent(0, 9_000_000), sent(5_000_000, 9_100_000), sent(5_000_000, 9_200_000));
        ClockReading afterASuspension = new ClockReading(6_000_000, 6_000 + 2);
        assertThat(deadlines.ofMajority(afterASuspension, 1_999)).isNull();
        assertThat(deadlines.ofMajority(afterASuspension, 2_000).deadline())
                .as("less what the monotonic clock has missed")
                .isEqualTo(9_098_000);
    }

    @Test
    void anEarlierDeadlineKeepsItsEndInALaterRound() {
        NodeDeadlines deadlines = of(2, sent(0, 50_000), sent(0, 40_000), null);
        ClockReading round = at(10_000);
        assertThat(deadlines.ofMajority(round, JUMP)).isEqualTo(new Validity(round, 40_000));
        deadlines.confirm(0, sent(11_000, 70_000));
        deadlines.confirm(1, sent(12_000, 80_000));
        assertThat(deadlines.ofMajority(round, JUMP)).isEqualTo(sent(11_000, 70_000));
    }

    @Test
    void theClockMayRunThroughItsGreatestNumber() {
        long end = Long.MAX_VALUE;
        NodeDeadlines deadlines = of(2, sent(end - 10_000, end + 20_000), sent(end - 10_000, end - 5_000), null);
        assertThat(deadlines.ofMajority(at(end - 10_000), JUMP).deadline()).isEqualTo(end - 5_000);
        deadlines.confirm(1, sent(end - 10_000, end + 30_000));
        assertThat(deadlines.ofMajority(at(end - 10_000), JUMP).deadline()).isEqualTo(end + 20_000);
    }
}

package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValidityTest {

    @Test
    void thereIsOneFormula() {
        Validity validity = Validity.of(new ClockReading(1_000, 5), Duration.ofSeconds(10));
        assertThat(validity.deadline()).isEqualTo(1_000 + 9_900_000_000L - 2_000_000L);
        assertThat(validity.sentAt()).isEqualTo(new ClockReading(1_000, 5));
    }

    @Test
    void endsAtItsDeadline() {
        Validity validity = new Validity(new ClockReading(0, 0), 100);
        assertThat(validity.isOver(99)).isFalse();
        assertThat(validity.isOver(100)).isTrue();
        assertThat(validity.nanosLeft(101)).isEqualTo(-1);
    }

    @Test
    void withNothingLeftItIsOverFromTheStart() {
        for (Duration left : new Duration[] {Duration.ZERO, Duration.ofSeconds(-5), Duration.ofMillis(2)}) {
            assertThat(Validity.of(new ClockReading(7, 0), left).isOver(7)).isTrue();
        }
    }

    @Test
    void comparesByDifferenceWhereTheClockOverflows() {
        Validity validity = Validity.of(new ClockReading(Long.MAX_VALUE - 10, 0), Duration.ofSeconds(1));
        assertThat(validity.isOver(Long.MAX_VALUE)).isFalse();
        assertThat(validity.isOver(Long.MIN_VALUE + 500_000_000)).isFalse();
        assertThat(validity.isOver(Long.MIN_VALUE + 1_000_000_000)).isTrue();
    }

    @Test
    void theLongestTimeDoesNotOverflow() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            ClockReading sentAt = new ClockReading(random.nextLong(), 0);
            Validity validity = Validity.of(sentAt, Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(validity.isOver(sentAt.nanos())).isFalse();
            assertThat(validity.isOver(sentAt.nanos() + Duration.ofDays(36_500).toNanos()))
                    .isFalse();
        }
    }

    @Test
    void divergenceIsNeverNegativeAndSaturates() {
        ClockReading start = new ClockReading(Long.MAX_VALUE - 5, 1_000_000);
        assertThat(new ClockReading(start.nanos() + 3_000, 1_000_003).divergenceSince(start))
                .isZero();
        assertThat(new ClockReading(start.nanos() + 3_000, 1_000_000).divergenceSince(start))
                .isEqualTo(3_000);
        assertThat(new ClockReading(start.nanos(), 1_000_003).divergenceSince(start))
                .isEqualTo(3_000);
        assertThat(new ClockReading(start.nanos(), Long.MAX_VALUE).divergenceSince(start))
                .isEqualTo(Long.MAX_VALUE);
        assertThat(new ClockReading(5, Long.MIN_VALUE / 2).divergenceSince(new ClockReading(0, 0)))
                .isEqualTo(Long.MAX_VALUE);
    }
}

package dev.leasehold.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> log = new ArrayList<>();

    @Test
    void standsStillUntilMoved() {
        ClockReading before = time.now();
        assertThat(time.now()).isEqualTo(before);
        time.advance(Duration.ofMillis(5));
        assertThat(time.now()).isEqualTo(new ClockReading(5_000_000, before.wallMicros() + 5_000));
    }

    @Test
    @DisplayName("Runs tasks in the order in which they are due each at its own moment")
    void runsTasksInTheOrderInWhichTheyAreDue() {
        at(30, "c");
        at(10, "a");
        at(10, "b");
        at(50, "never");
        time.advance(Duration.ofMillis(40));
        assertThat(log).containsExactly("a@10", "b@10", "c@30");
        assertThat(time.nanos()).isEqualTo(40_000_000);
    }

    @Test
    void aTaskMayScheduleAnotherThatIsDueInTheSameAdvance() {
        time.schedule(Duration.ofMillis(10), () -> at(10, "second"));
        time.advance(Duration.ofMillis(20));
        assertThat(log).containsExactly("second@20");
    }

    @Test
    void neverRunsATaskInsideSchedule() {
        at(0, "now");
        at(-5, "overdue");
        assertThat(log).isEmpty();
        time.advance(Duration.ZERO);
        assertThat(log).containsExactly("now@0", "overdue@0");
    }

    @Test
    void aCancelledTaskDoesNotRun() {
        TimeSource.Timer timer = at(10, "a");
        timer.cancel();
        timer.cancel();
        time.advance(Duration.ofMillis(20));
        assertThat(log).isEmpty();
    }

    @Test
    void aSettingOfTheWallClockDoesNotMoveTheMonotonicClock() {
        at(10, "a");
        ClockReading before = time.now();
        time.jumpWallClock(Duration.ofHours(-1));
        assertThat(time.now()).isEqualTo(new ClockReading(0, before.wallMicros() - 3_600_000_000L));
        time.suspend(Duration.ofHours(1));
        assertThat(time.now()).isEqualTo(before);
        assertThat(log).isEmpty();
    }

    @Test
    void timeDoesNotRunBackwards() {
        assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> time.suspend(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("An exception of a task comes out of advance, and the rest runs later")
    void whatATaskThrowsComesOutOfAdvance() {
        time.schedule(Duration.ofMillis(10), () -> {
            throw new IllegalStateException("planted");
        });
        at(20, "b");
        assertThatThrownBy(() -> time.advance(Duration.ofMillis(30))).hasMessage("planted");
        assertThat(time.nanos()).isEqualTo(10_000_000);
        time.advance(Duration.ofMillis(20));
        assertThat(log).containsExactly("b@20");
    }

    @Test
    void acceptsHugeDurations() {
        at(1, "a");
        time.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> log.add("never"));
        time.advance(Duration.ofDays(30_000));
        assertThat(log).containsExactly("a@1");
    }

    private TimeSource.Timer at(long millis, String name) {
        return time.schedule(Duration.ofMillis(millis), () -> log.add(name + "@" + time.nanos() / 1_000_000));
    }
}

package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SleepWatchTest {

    private long nanos = Long.MAX_VALUE - 3_000_000_000L;
    private long wallMicros = 1_800_000_000_000_000L;
    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private boolean wanted = true;
    private int noticed;

    private final SleepWatch watch = new SleepWatch(
            new TimeSource() {
                @Override
                public ClockReading now() {
                    return new ClockReading(nanos, wallMicros);
                }

                @Override
                public Timer schedule(Duration delay, Runnable task) {
                    assertThat(delay).hasSeconds(1);
                    scheduled.add(task);
                    return () -> {};
                }
            },
            () -> wanted,
            () -> noticed++);

    private void secondPasses() {
        nanos += 1_000_000_000L;
        wallMicros += 1_000_000L;
        scheduled.remove().run();
    }

    @Test
    void whatTheMachineHasSleptIsNoticedWithinASecond() {
        watch.begin();
        secondPasses();
        assertThat(noticed).isZero();
        wallMicros += 60_000L;
        secondPasses();
        assertThat(noticed).isEqualTo(1);
        secondPasses();
        assertThat(noticed).as("once").isEqualTo(1);
        wallMicros -= 3_600_000_000L;
        secondPasses();
        assertThat(noticed).as("a clock that was set back").isEqualTo(2);
    }

    @Test
    @DisplayName("One timer runs while there is something to lose and none afterwards")
    void oneTimerRunsWhileThereIsSomethingToLose() {
        watch.begin();
        watch.begin();
        assertThat(scheduled).hasSize(1);
        secondPasses();
        assertThat(scheduled).hasSize(1);
        wanted = false;
        secondPasses();
        assertThat(scheduled).isEmpty();
        wanted = true;
        watch.begin();
        assertThat(scheduled).hasSize(1);
    }
}

package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * These tests invent the time that contestants spend on compiling; slices are of one second, so that 20 ms are the
 * small part.
 */
@Tag("slow")
class WarmUpTest {

    private static final Duration SLICE = Duration.ofSeconds(1);

    private final WarmUp warmUp = new WarmUp(Duration.ofSeconds(5), Duration.ofSeconds(30), SLICE);

    private void compiles(long... millis) {
        for (long each : millis) {
            assertThat(warmUp.next()).isEqualTo(SLICE);
            warmUp.add(SLICE, each);
        }
    }

    @Test
    void goesOnWhileMoreThanASmallPartIsCompiled() {
        compiles(1800, 900, 400, 200, 100, 50, 20, 20, 20);
        assertThat(warmUp.isSettled()).isFalse();
        assertThat(warmUp.next()).isEqualTo(SLICE);
        assertThat(warmUp.last()).hasValue(0.02);
    }

    @Test
    void endsAfterThreeQuietSlices() {
        compiles(1800, 900, 400, 200, 19, 10, 0);
        assertThat(warmUp.isSettled()).isTrue();
        assertThat(warmUp.next()).isZero();
        assertThat(warmUp.took()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void quietSlicesCountOnlyOneAfterTheOther() {
        compiles(900, 10, 10, 700, 10, 10, 300, 0, 0);
        assertThat(warmUp.isSettled()).isFalse();
        compiles(0);
        assertThat(warmUp.next()).isZero();
    }

    @Test
    @DisplayName("A contestant that is quiet from the start is warmed for the least time")
    void aQuietContestantIsWarmedForTheLeastTime() {
        compiles(0, 0, 0, 0, 0);
        assertThat(warmUp.next()).isZero();
    }

    @Test
    void oneThatNeverSettlesIsWarmedUpToTheLimit() {
        for (int i = 0; i < 30; i++) {
            compiles(300);
        }
        assertThat(warmUp.next()).isZero();
        assertThat(warmUp.isSettled()).isFalse();
        assertThat(warmUp.took()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void theLastSliceEndsAtTheLimit() {
        WarmUp odd = new WarmUp(Duration.ZERO, Duration.ofMillis(1400), SLICE);
        odd.add(SLICE, 500);
        assertThat(odd.next()).isEqualTo(Duration.ofMillis(400));
        odd.add(Duration.ofMillis(400), 8);
        assertThat(odd.last()).hasValue(0.02);
        assertThat(odd.next()).isZero();
    }

    @Test
    void oneThatSaysNothingIsWarmedForTheLeastTime() {
        compiles(-1, -1, -1, -1, -1);
        assertThat(warmUp.next()).isZero();
        assertThat(warmUp.isSettled()).isFalse();
        assertThat(warmUp.last()).isEmpty();
    }

    @Test
    void aLimitOfZeroIsNoWarmUp() {
        assertThat(new WarmUp(Duration.ofSeconds(5), Duration.ZERO, SLICE).next())
                .isZero();
    }

    @Test
    void theLimitAlsoBoundsTheLeastTime() {
        WarmUp brief = new WarmUp(Duration.ofSeconds(5), SLICE, SLICE);
        brief.add(SLICE, 900);
        assertThat(brief.next()).isZero();
    }
}

package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SpinTest {

    private static final long STEP = 1_000;

    private final AtomicInteger looks = new AtomicInteger();
    private Runnable meanwhile = () -> {};
    private final Spin spin = new Spin(this::tick, 2);

    /** A clock that goes on by a microsecond whenever somebody looks at it. */
    private long tick() {
        int look = looks.incrementAndGet();
        meanwhile.run();
        return Long.MAX_VALUE - 2_000 + look * STEP;
    }

    private int looksFor(CompletableFuture<?> answer) {
        looks.set(0);
        spin.until(answer);
        return looks.get();
    }

    private int looksInVain() {
        return looksFor(new CompletableFuture<>());
    }

    @Test
    void endsAfterItsTime() {
        assertThat(looksInVain()).isEqualTo((int) (Spin.LONGEST_NANOS / STEP) + 1);
    }

    @Test
    void endsWithTheAnswer() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        meanwhile = () -> {
            if (looks.get() == 5) {
                answer.complete(true);
            }
        };
        assertThat(looksFor(answer)).isEqualTo(5);
    }

    @Test
    void endsWithAFailure() {
        assertThat(looksFor(CompletableFuture.failedFuture(new IllegalStateException())))
                .isZero();
    }

    @Test
    void isLeftOutTwiceAsOftenEachTimeItWasInVain() {
        for (int leftOut = 1; leftOut <= Spin.MOST_LEFT_OUT; leftOut *= 2) {
            assertThat(looksInVain()).isPositive();
            assertLeftOut(leftOut);
        }
        assertThat(looksInVain()).isPositive();
        assertLeftOut(Spin.MOST_LEFT_OUT);
        assertThat(looksInVain()).isPositive();
    }

    private void assertLeftOut(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(looksInVain())
                    .as("call %d of %d after one in vain", i + 1, times)
                    .isZero();
        }
    }

    @Test
    void isNotLeftOutAnyMoreOnceItHelped() {
        looksInVain();
        assertLeftOut(1);
        looksInVain();
        assertLeftOut(2);
        helps();
        helps();
        looksInVain();
        assertLeftOut(1);
        helps();
    }

    private void helps() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        meanwhile = () -> answer.complete(true);
        assertThat(looksFor(answer)).isPositive();
        meanwhile = () -> {};
    }

    @Test
    void oneCallerAtATime() {
        AtomicInteger second = new AtomicInteger(-1);
        meanwhile = () -> {
            if (looks.get() == 3) {
                meanwhile = () -> {};
                spin.until(new CompletableFuture<>());
                second.set(looks.get());
            }
        };
        looksInVain();
        assertThat(second).hasValue(3);
        assertLeftOut(1);
        assertThat(looksInVain())
                .as("the one that was turned away has not counted")
                .isPositive();
    }

    @Test
    void notOnOneProcessor() {
        new Spin(this::tick, 1).until(new CompletableFuture<>());
        assertThat(looks).hasValue(0);
    }
}

package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SpinWaitTest {

    private static final long STEP = 1_000;

    private final AtomicInteger looks = new AtomicInteger();
    private Runnable meanwhile = () -> {};
    private Runnable others = () -> {};
    private long away;
    private final SpinWait spin = new SpinWait(this::tick, () -> others.run(), 2, SpinWait.USUAL_NANOS);

    /** Reads a clock that goes on by a microsecond whenever somebody looks at it. */
    private long tick() {
        int look = looks.incrementAndGet();
        meanwhile.run();
        return Long.MAX_VALUE - 2_000 + away + look * STEP;
    }

    private int looksFor(CompletableFuture<?> answer) {
        looks.set(0);
        spin.until(answer::isDone);
        return looks.get();
    }

    private int looksInVain() {
        return looksFor(new CompletableFuture<>());
    }

    @Test
    void endsAfterItsTime() {
        assertThat(looksInVain()).isEqualTo((int) (SpinWait.USUAL_NANOS / STEP) + 1);
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

    /** The thread that has to answer may have no other processor. */
    @Test
    void othersRunBetweenTwoLooks() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        others = () -> answer.complete(true);
        assertThat(looksFor(answer)).isEqualTo(2);
    }

    @Test
    @DisplayName("Is in vain where others keep the processor, though the answer came meanwhile")
    void isInVainWhereOthersKeepTheProcessor() {
        for (int i = 0; i <= SpinWait.MOST_IN_VAIN; i++) {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            others = () -> {
                away += SpinWait.USUAL_NANOS;
                answer.complete(true);
            };
            assertThat(looksFor(answer)).isEqualTo(2);
        }
        assertLeftOut(SpinWait.WINDOW);
    }

    @Test
    @DisplayName("Is left out for twice as many calls each time too many were in vain")
    void isLeftOutForTwiceAsManyCallsEachTime() {
        for (int leftOut = SpinWait.WINDOW; leftOut <= SpinWait.MOST_LEFT_OUT; leftOut *= 2) {
            window(SpinWait.WINDOW);
            assertLeftOut(leftOut);
        }
        window(SpinWait.WINDOW);
        assertLeftOut(SpinWait.MOST_LEFT_OUT);
        window(SpinWait.WINDOW);
    }

    /** A single probe would never find this: the first after a sleep is in vain because everybody else sleeps, too. */
    @Test
    void goesOnWhereFewWereInVain() {
        for (int i = 0; i < 10; i++) {
            window(SpinWait.MOST_IN_VAIN);
        }
        window(SpinWait.MOST_IN_VAIN + 1);
        assertLeftOut(SpinWait.WINDOW);
    }

    @Test
    void isForgivenOnceItHelped() {
        window(SpinWait.WINDOW);
        assertLeftOut(SpinWait.WINDOW);
        window(SpinWait.WINDOW);
        assertLeftOut(2 * SpinWait.WINDOW);
        window(0);
        window(SpinWait.WINDOW);
        assertLeftOut(SpinWait.WINDOW);
        window(0);
    }

    /**
     * Makes as many calls as are judged together, some of them in vain; no more once that is certain to be too many.
     */
    private void window(int inVain) {
        int calls = inVain > SpinWait.MOST_IN_VAIN ? SpinWait.MOST_IN_VAIN + 1 : SpinWait.WINDOW;
        for (int i = 0; i < calls; i++) {
            if (i < inVain) {
                assertThat(looksInVain()).isGreaterThan(1);
            } else {
                helps();
            }
        }
    }

    private void assertLeftOut(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(looksInVain())
                    .as("call %d of %d that are left out", i + 1, times)
                    .isZero();
        }
    }

    private void helps() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        meanwhile = () -> answer.complete(true);
        assertThat(looksFor(answer)).isEqualTo(1);
        meanwhile = () -> {};
    }

    @Test
    void oneCallerAtATime() {
        AtomicInteger second = new AtomicInteger(-1);
        meanwhile = () -> {
            if (looks.get() == 3) {
                meanwhile = () -> {};
                spin.until(() -> false);
                second.set(looks.get());
            }
        };
        looksInVain();
        assertThat(second).hasValue(3);
        for (int i = 1; i <= SpinWait.MOST_IN_VAIN; i++) {
            assertThat(looksInVain())
                    .as("the one that was turned away has not counted")
                    .isPositive();
        }
        assertLeftOut(SpinWait.WINDOW);
    }

    @Test
    void notOnOneProcessor() {
        new SpinWait(this::tick, () -> {}, 1, SpinWait.USUAL_NANOS).until(() -> false);
        assertThat(looks).hasValue(0);
    }

    /** Returns for how many looks one of this machine's keeps its caller. */
    private static int looksOfUsual() {
        AtomicInteger asked = new AtomicInteger();
        SpinWait.usual().until(() -> asked.incrementAndGet() < 0);
        return asked.get();
    }

    @Test
    void canBeSwitchedOff() {
        int processors = Runtime.getRuntime().availableProcessors();
        String before = System.getProperty(SpinWait.SWITCH);
        try {
            System.setProperty(SpinWait.SWITCH, "false");
            assertThat(looksOfUsual()).isEqualTo(1);
            System.setProperty(SpinWait.SWITCH, "true");
            assertThat(looksOfUsual() > 1).isEqualTo(processors > 1);
            System.clearProperty(SpinWait.SWITCH);
            assertThat(looksOfUsual() > 1).isEqualTo(processors > 1);
        } finally {
            if (before == null) {
                System.clearProperty(SpinWait.SWITCH);
            } else {
                System.setProperty(SpinWait.SWITCH, before);
            }
        }
    }
}

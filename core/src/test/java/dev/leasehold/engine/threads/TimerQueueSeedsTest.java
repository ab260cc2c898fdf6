package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.TimeSource.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * These tests drive the queue of {@link SystemTime} by a virtual clock, with all chance from a seed: tasks plan and cancel
 * others, and the thread looks late, as a stopped process does, or sorts and is stopped before it runs anything.
 */
class TimerQueueSeedsTest {

    private static final int TASKS = 2_000;

    /** Cancelled are mostly tasks that have not run yet. */
    private static final int LATEST = 30;

    private final TimerQueue queue = new TimerQueue();
    private final List<Planned> all = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private long now;
    private long lastRun;
    private int lastIndex;

    private final class Planned {
        private final int index = all.size();
        private final long due;
        private final Timer timer;
        private boolean over;

        Planned(SplittableRandom chance, long delay) {
            due = now + delay;
            timer = queue.add(due, () -> run(chance));
            all.add(this);
        }

        private void run(SplittableRandom chance) {
            boolean inOrder = due > lastRun || (due == lastRun && index > lastIndex);
            if (over || now < due || !inOrder) {
                wrong.add("due " + due + " at " + now + " after " + lastRun + (over ? ", which was over" : ""));
            }
            over = true;
            lastRun = due;
            lastIndex = index;
            if (chance.nextInt(3) == 0) {
                act(chance);
            }
        }
    }

    /** Plans a task, or cancels one that may be due already. */
    private void act(SplittableRandom chance) {
        if (chance.nextInt(3) == 0 && !all.isEmpty()) {
            Planned victim = all.get(all.size() - 1 - chance.nextInt(Math.min(LATEST, all.size())));
            victim.timer.cancel();
            victim.over = true;
        } else if (all.size() < TASKS) {
            long slots = chance.nextInt(4) == 0 ? 0 : 1 + chance.nextLong(4);
            new Planned(chance, slots * TimerQueue.WIDTH_NANOS / (1 + chance.nextInt(3)) + chance.nextInt(3) - 1);
        }
    }

    private void live(long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        now = chance.nextLong(TimerQueue.WIDTH_NANOS);
        long next = now;
        while (all.size() < TASKS || next != TimerQueue.NEVER) {
            for (int i = chance.nextInt(4); i > 0; i--) {
                act(chance);
            }
            boolean stopped = chance.nextInt(5) == 0;
            now = next == TimerQueue.NEVER ? now + chance.nextLong(TimerQueue.WIDTH_NANOS) : Math.max(now, next);
            now += stopped ? chance.nextLong(10 * TimerQueue.WIDTH_NANOS) : 0;
            lastRun = Long.MIN_VALUE; // What was planned since the last look may be due before what has run.
            queue.sort();
            next = queue.runDue(now);
            assertThat(next).as("the next look").isGreaterThan(now);
            next = queue.hasNews() ? now : next;
        }
        assertThat(wrong).isEmpty();
        assertThat(all).allMatch(task -> task.over);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noTimerIsEarlyLostOrOutOfOrder(long seed) {
        live(seed);
    }
}

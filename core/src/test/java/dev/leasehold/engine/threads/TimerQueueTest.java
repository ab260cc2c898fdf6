package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.TimeSource.Timer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TimerQueueTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final TimerQueue queue = new TimerQueue(this::room);

    private long now = 123_456_789;
    private int looks;
    private int failures;

    private @Nullable Timer cancelled;

    private void room() {
        if (cancelled != null) {
            cancelled.cancel();
        }
        if (failures > 0 && failures-- % 2 == 0) {
            throw new OutOfMemoryError("on purpose");
        }
    }

    private Timer schedule(long delay, Runnable task) {
        return queue.add(now + delay, task);
    }

    private long look() {
        looks++;
        queue.sort();
        return queue.runDue(now);
    }

    /** Looks as often as the queue wants it. */
    private void advance(long nanos) {
        long end = now + nanos;
        for (long next = look(); next <= end; next = look()) {
            assertThat(next).as("the next look").isGreaterThan(now);
            now = next;
        }
        now = end;
    }

    @Test
    void eachTaskRunsAtItsTime() {
        Random random = new Random(7);
        List<String> wrong = new ArrayList<>();
        Set<Integer> ran = new HashSet<>();
        Set<Integer> cancelled = new HashSet<>();
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            int id = i;
            long delay = (long) (random.nextDouble() * SECOND * (i % 100) * (i % 100));
            long due = now + delay;
            timers.add(schedule(delay, () -> {
                if (now != due || !ran.add(id) || cancelled.contains(id)) {
                    wrong.add(id + " of " + due + " at " + now);
                }
            }));
            if (i % 3 == 0) {
                int which = random.nextInt(timers.size());
                if (!ran.contains(which)) {
                    timers.get(which).cancel();
                    cancelled.add(which);
                }
            }
            advance(random.nextInt(20_000_000));
        }
        advance(20_000 * SECOND);
        assertThat(wrong).isEmpty();
        assertThat(ran).hasSize(5_000 - cancelled.size());
        assertThat(cancelled).hasSizeGreaterThan(1_000);
        assertThat(look()).isEqualTo(TimerQueue.NEVER);
    }

    /** Many tasks are late together after the process was stopped. */
    @Test
    void lateTasksRunInTheOrderOfTheirTimes() {
        List<Long> ran = new ArrayList<>();
        for (long delay = 400 * MILLI; delay > 0; delay -= MILLI) {
            long due = now + delay;
            schedule(delay, () -> ran.add(due));
        }
        look();
        now += SECOND;
        look();
        assertThat(ran).hasSize(400).isSorted();
    }

    @Test
    void tasksOfOneTimeRunInTheOrderOfTheirComing() {
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int id = i;
            schedule(SECOND, () -> ran.add(id));
            if (i % 10 == 0) {
                look();
            }
        }
        advance(SECOND);
        assertThat(ran).hasSize(100).isSorted();
    }

    /** A lock that is taken and given back again and again cancels all its timers. */
    @Test
    void cancelledTasksAreNotLookedFor() {
        for (int cycle = 0; cycle < 10_000; cycle++) {
            Timer one = schedule(SECOND, () -> {});
            Timer other = schedule(SECOND * 11 / 10, () -> {});
            if (cycle % 2 == 0) {
                look();
            }
            one.cancel();
            other.cancel();
            now += MILLI;
        }
        assertThat(look()).isEqualTo(TimerQueue.NEVER);
    }

    @Test
    void aSlotIsKeptAsLongAsOneTaskIsLeft() {
        int[] ran = {0};
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            timers.add(schedule(3 * SECOND, () -> ran[0]++));
            advance(MILLI);
        }
        for (int i = 0; i < 1_000; i++) {
            if (i % 100 != 99) {
                timers.get(i).cancel();
            }
        }
        looks = 0;
        advance(4 * SECOND);
        assertThat(ran[0]).isEqualTo(10);
        assertThat(looks).as("looks").isLessThan(40);
    }

    /** Its slot is open. */
    @Test
    void aTaskIsCancelledShortlyBeforeItsTimeToo() {
        int[] ran = {0};
        Timer timer = schedule(SECOND, () -> ran[0]++);
        advance(SECOND - 1);
        timer.cancel();
        advance(SECOND);
        assertThat(ran[0]).isZero();
    }

    @Test
    void aTaskThatFailsTakesNoOtherWithIt() {
        int[] ran = {0};
        for (int i = 0; i < 3; i++) {
            schedule(SECOND, () -> {
                ran[0]++;
                throw new IllegalStateException("on purpose");
            });
        }
        advance(SECOND);
        assertThat(ran[0]).isEqualTo(3);
    }

    @Test
    void aTaskOfATaskIsTakenLikeAnyOther() {
        List<Long> ran = new ArrayList<>();
        long begun = now;
        schedule(SECOND, () -> schedule(2 * SECOND, () -> ran.add(now - begun)));
        advance(SECOND);
        advance(3 * SECOND);
        assertThat(ran).containsExactly(3 * SECOND);
    }

    @Test
    void oneThatIsCancelledWhileItIsPlacedIsForgotten() {
        cancelled = schedule(SECOND, () -> {});
        assertThat(look()).isEqualTo(TimerQueue.NEVER);
    }

    @Test
    void anErrorWhileTasksAreSortedLosesNone() {
        List<Long> ran = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            long due = now + SECOND + i;
            schedule(SECOND + i, () -> ran.add(due));
        }
        failures = 10;
        lookUntilNothingFails();
        now += 2 * SECOND;
        failures = 10;
        lookUntilNothingFails();
        assertThat(ran).hasSize(20).isSorted();
    }

    private void lookUntilNothingFails() {
        while (failures > 0) {
            try {
                look();
            } catch (OutOfMemoryError e) {
                assertThat(e).hasMessage("on purpose");
            }
        }
        look();
    }

    /** One thread runs, others add and cancel: each task runs once, unless its cancellation came first. */
    @Test
    void noTaskIsLostOrRunTwiceWhenThreadsMeet() throws InterruptedException {
        int threads = 3;
        int rounds = 30_000;
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger kept = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(threads);
        for (int thread = 0; thread < threads; thread++) {
            int seed = thread;
            new Thread(() -> {
                        Random random = new Random(seed);
                        for (int i = 0; i < rounds; i++) {
                            // Odd tasks are never due before they are cancelled.
                            boolean keep = random.nextBoolean();
                            Timer timer = queue.add(
                                    keep ? random.nextInt(rounds) : rounds * SECOND + random.nextInt(rounds) * MILLI,
                                    ran::incrementAndGet);
                            if (keep) {
                                kept.incrementAndGet();
                            } else {
                                timer.cancel();
                            }
                        }
                        ended.countDown();
                    })
                    .start();
        }
        while (ended.getCount() > 0) {
            look();
        }
        now = 10 * SECOND;
        long next = look();
        assertThat(ran.get()).isEqualTo(kept.get());
        assertThat(next).as("cancelled tasks left").isEqualTo(TimerQueue.NEVER);
    }
}

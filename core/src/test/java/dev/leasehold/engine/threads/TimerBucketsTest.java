package dev.leasehold.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spi.TimeSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimerBucketsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private record Entry(long due, Runnable task) {}

    private final PriorityQueue<Entry> entries = new PriorityQueue<>(Comparator.comparingLong(Entry::due));
    private final TimerBuckets buckets = new TimerBuckets(() -> this.now, this::exactly);

    private long now = -123_456_789_012L;
    private int asked;
    private int failures;
    private long stop;

    private TimeSource.Timer exactly(long delay, Runnable task) {
        if (failures > 0) {
            failures--;
            throw new OutOfMemoryError("on purpose");
        }
        now += stop;
        stop = 0;
        Entry entry = new Entry(now + delay, task);
        entries.add(entry);
        asked++;
        return () -> entries.remove(entry);
    }

    private void advance(long nanos) {
        long end = now + nanos;
        while (!entries.isEmpty() && entries.element().due() <= end) {
            Entry next = entries.remove();
            now = Math.max(now, next.due());
            next.task().run();
        }
        now = end;
    }

    @Test
    void eachTaskRunsAtItsTime() {
        Random random = new Random(7);
        List<String> wrong = new ArrayList<>();
        Set<Integer> ran = new HashSet<>();
        Set<Integer> cancelled = new HashSet<>();
        List<TimeSource.Timer> timers = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            int id = i;
            long delay = TimerBuckets.LEAST_DELAY_NANOS + (long) (random.nextDouble() * SECOND * (i % 100) * (i % 100));
            long due = now + delay;
            timers.add(buckets.schedule(delay, () -> {
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
        assertThat(entries).isEmpty();
    }

    @Test
    void tasksOfOneTimeAreOneEntryForTheExecutor() {
        int[] ran = {0};
        long due = TimerBuckets.start(now + 10 * SECOND, 10 * SECOND);
        for (int i = 0; i < 1_000; i++) {
            buckets.schedule(due - now, () -> ran[0]++);
            advance(100);
        }
        assertThat(asked).isEqualTo(1);
        advance(due - now - 1);
        assertThat(ran[0]).isZero();
        advance(1);
        assertThat(ran[0]).isEqualTo(1_000);
        assertThat(asked).isEqualTo(1);
    }

    /** A lock that is taken and given back again and again has timers of a few lengths, and cancels them all. */
    @Test
    void cancelledTasksDoNotWakeTheExecutor() {
        for (int cycle = 0; cycle < 10_000; cycle++) {
            TimeSource.Timer one = buckets.schedule(SECOND, () -> {});
            TimeSource.Timer other = buckets.schedule(SECOND * 11 / 10, () -> {});
            advance(100_000);
            one.cancel();
            other.cancel();
            assertThat(entries).hasSizeLessThan(6);
        }
        assertThat(asked).as("made anew rarely").isLessThan(500);
    }

    @Test
    void aBucketIsKeptAsLongAsOneTaskIsLeft() {
        int[] ran = {0};
        List<TimeSource.Timer> timers = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            timers.add(buckets.schedule(3 * SECOND, () -> ran[0]++));
            advance(1_000_000);
        }
        for (int i = 0; i < 1_000; i++) {
            if (i % 100 != 99) {
                timers.get(i).cancel();
            }
        }
        advance(3 * SECOND);
        assertThat(ran[0]).isEqualTo(10);
        assertThat(entries).isEmpty();
    }

    /** Its bucket was opened, and the executor has it for the rest of the time. */
    @Test
    void aTaskIsCancelledShortlyBeforeItsTimeToo() {
        int[] ran = {0};
        long due = TimerBuckets.start(now + 10 * SECOND, 10 * SECOND) + 1_000;
        TimeSource.Timer timer = buckets.schedule(due - now, () -> ran[0]++);
        advance(due - now - 1);
        timer.cancel();
        advance(SECOND);
        assertThat(ran[0]).isZero();
        assertThat(entries).isEmpty();
    }

    @Test
    void aTaskThatFailsTakesNoOtherWithIt() {
        int[] ran = {0};
        for (int i = 0; i < 3; i++) {
            buckets.schedule(SECOND, () -> {
                ran[0]++;
                throw new IllegalStateException("on purpose");
            });
        }
        advance(SECOND);
        assertThat(ran[0]).isEqualTo(3);
    }

    /** The bucket is open, and nobody else looks for what is in it. */
    @Test
    void anErrorWhileABucketIsOpenLosesNoTask() {
        List<Long> ran = new ArrayList<>();
        long begun = now;
        long due = TimerBuckets.start(now + 10 * SECOND, 10 * SECOND) + 1_000;
        for (int i = 0; i < 5; i++) {
            buckets.schedule(due - now, () -> ran.add(now));
        }
        advance(due - now - 2_000);
        failures = 3;
        advance(due - begun);
        assertThat(ran).containsOnly(due).hasSize(5);
    }

    /** The executor looks at the clock later than the bucket does: those who come to the bucket must not wait so much longer. */
    @Test
    void aStopWhileABucketIsMadeDelaysNoOtherTask() {
        List<Long> ran = new ArrayList<>();
        long due = TimerBuckets.start(now + 100 * SECOND, 100 * SECOND);
        stop = 60 * SECOND;
        buckets.schedule(due - now, () -> {});
        buckets.schedule(due - now, () -> ran.add(now));
        advance(due - now + SECOND);
        assertThat(ran).containsExactly(due);
    }

    @Test
    void aTaskOfATaskIsTakenLikeAnyOther() {
        List<Long> ran = new ArrayList<>();
        long begun = now;
        buckets.schedule(SECOND, () -> buckets.schedule(2 * SECOND, () -> ran.add(now - begun)));
        advance(4 * SECOND);
        assertThat(ran).containsExactly(3 * SECOND);
    }
}

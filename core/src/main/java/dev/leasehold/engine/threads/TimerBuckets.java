package dev.leasehold.engine.threads;

import dev.leasehold.spi.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Timer buckets hold the tasks that are due in half a second or later. Tasks of about the same time lie in one bucket, for
 * which the executor has a single entry, so that to add or to cancel a task costs the same however many there are. (With
 * 100,000 leases, a quarter of a renewal's processor time went to the executor's heap.)
 *
 * <p>No task runs early, and none later than in the executor itself. A bucket is at most as wide as the 128th part of the
 * delay; it is opened when its time begins, and a task that is due later within it is put in anew, into a narrower bucket or,
 * in the end, into the executor. Widths are powers of two, in nanoseconds, and each bucket begins at a multiple of its width:
 * so those of all widths begin together, and a task that is due at such a time runs when its bucket is opened.
 *
 * <p>Most tasks are cancelled long before they are due, and a bucket without tasks would wake the executor's thread for nothing.
 * So such a bucket is dropped, but not while it is younger than it is wide: as long it gets the tasks of one delay, and to make
 * it anew for each would cost what buckets are to save. It is dropped when another is made after that; if none is, it wakes the
 * thread once. There are at most 128 for each power of two. Thread-safe.
 */
final class TimerBuckets {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private static final long PARTS = 128;

    /** Four milliseconds, below which a bucket would gather nothing. */
    private static final long LEAST_WIDTH_NANOS = 1 << 22;

    /** After an Error of our own, until it is tried again. */
    private static final long PAUSE_NANOS = 10_000_000;

    /** What is due sooner is for the executor. */
    static final long LEAST_DELAY_NANOS = PARTS * LEAST_WIDTH_NANOS;

    private final LongSupplier clock;
    private final Executor executor;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<Long, Bucket> byStart = new TreeMap<>();

    /** Those that are kept even without tasks, and some that were until lately. They are looked through when one is made. */
    private final List<Bucket> young = new ArrayList<>();

    /** An executor runs tasks at their time, one at a time. */
    interface Executor {
        TimeSource.Timer schedule(long delayNanos, Runnable task);
    }

    /** Makes one without tasks; the clock is the monotonic one, in nanoseconds. */
    TimerBuckets(LongSupplier clock, Executor executor) {
        this.clock = clock;
        this.executor = executor;
    }

    /** A bucket is a list of tasks. */
    private static final class Bucket {

        private final Long start;
        private final long youngUntil;
        private @Nullable Task first;
        private TimeSource.@Nullable Timer opening;

        Bucket(Long start, long youngUntil) {
            this.start = start;
            this.youngUntil = youngUntil;
        }

        boolean isYoung(long now) {
            return now - youngUntil < 0;
        }

        void add(Task task) {
            Task next = first;
            task.in = this;
            task.next = next;
            if (next != null) {
                next.previous = task;
            }
            first = task;
        }

        void remove(Task task) {
            Task previous = task.previous;
            Task next = task.next;
            if (previous == null) {
                first = next;
            } else {
                previous.next = next;
            }
            if (next != null) {
                next.previous = previous;
            }
            task.in = null;
            task.previous = null;
            task.next = null;
        }
    }

    /** A task is in a bucket, with the executor, or over. */
    private final class Task implements TimeSource.Timer {

        private final long due;
        private final Runnable work;
        private @Nullable Bucket in;
        private @Nullable Task previous;
        private @Nullable Task next;
        private TimeSource.@Nullable Timer exact;
        private boolean over;

        Task(long due, Runnable work) {
            this.due = due;
            this.work = work;
        }

        @Override
        public void cancel() {
            SystemTime.requireStack();
            TimeSource.Timer scheduled;
            mutex.lock();
            try {
                over = true;
                scheduled = exact;
                Bucket bucket = in;
                if (bucket != null) {
                    bucket.remove(this);
                    dropIfUseless(bucket);
                }
            } finally {
                mutex.unlock();
            }
            if (scheduled != null) {
                scheduled.cancel();
            }
        }
    }

    /**
     * Has a task run when it is due.
     *
     * @param delay at least {@link #LEAST_DELAY_NANOS}
     */
    TimeSource.Timer schedule(long delay, Runnable work) {
        Task task = new Task(clock.getAsLong() + delay, work);
        mutex.lock();
        try {
            bucketAt(task.due, delay).add(task);
        } finally {
            mutex.unlock();
        }
        return task;
    }

    /**
     * Finds or makes a bucket. If the process is stopped between the look at the clock and the executor's, the bucket would
     * be opened as much later, for all who come to it; then it is to be opened once more, at its time.
     */
    private Bucket bucketAt(long due, long delay) {
        Long start = start(due, delay);
        Bucket known = byStart.get(start);
        if (known != null) {
            return known;
        }
        long now = clock.getAsLong();
        Bucket fresh = new Bucket(start, now + width(delay));
        Runnable opening = () -> open(fresh);
        fresh.opening = executor.schedule(start - now, opening);
        long after = clock.getAsLong();
        if (after - now > LEAST_WIDTH_NANOS) {
            executor.schedule(start - after, opening);
        }
        byStart.put(start, fresh);
        dropUselessOnes(now);
        young.add(fresh);
        return fresh;
    }

    private void dropUselessOnes(long now) {
        for (Iterator<Bucket> each = young.iterator(); each.hasNext(); ) {
            Bucket bucket = each.next();
            if (!bucket.isYoung(now)) {
                each.remove();
                dropIfUseless(bucket);
            }
        }
    }

    /** Drops a bucket that has no tasks and will probably get none. */
    private void dropIfUseless(Bucket bucket) {
        if (bucket.first == null && !bucket.isYoung(clock.getAsLong()) && byStart.remove(bucket.start, bucket)) {
            TimeSource.Timer opening = bucket.opening;
            if (opening != null) {
                opening.cancel();
            }
        }
    }

    /** Returns the last time before a task is due at which a bucket for this delay begins. */
    static long start(long due, long delay) {
        return due & -width(delay);
    }

    private static long width(long delay) {
        return Long.highestOneBit(delay / PARTS);
    }

    /** Opens a bucket. Nobody else looks for its tasks any more: so an Error, as where memory is short, does not end it. */
    private void open(Bucket bucket) {
        boolean known = true;
        boolean more = true;
        while (more) {
            try {
                if (known) {
                    forget(bucket);
                    known = false;
                }
                more = runOrPutAnew(bucket);
            } catch (Throwable e) {
                if (Thread.currentThread().isInterrupted()) {
                    return; // The executor was shut down.
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void forget(Bucket bucket) {
        mutex.lock();
        try {
            byStart.remove(bucket.start, bucket);
        } finally {
            mutex.unlock();
        }
    }

    /** Runs the first task of a bucket, or puts it in anew if it is not due; returns false if there was none. */
    private boolean runOrPutAnew(Bucket bucket) {
        Task task;
        mutex.lock();
        try {
            task = bucket.first;
            if (task == null) {
                return false;
            }
            long left = task.due - clock.getAsLong();
            if (left > 0) {
                putAnew(task, left, bucket);
                return true;
            }
            bucket.remove(task);
            task.over = true;
        } finally {
            mutex.unlock();
        }
        run(task);
        return true;
    }

    /** Finds the new place first, so that the task stays where it is if that fails. */
    private void putAnew(Task task, long left, Bucket bucket) {
        if (left >= LEAST_DELAY_NANOS) {
            Bucket next = bucketAt(task.due, left);
            bucket.remove(task);
            next.add(task);
        } else {
            TimeSource.Timer exact = executor.schedule(left, () -> runUnlessOver(task));
            bucket.remove(task);
            task.exact = exact;
        }
    }

    private void runUnlessOver(Task task) {
        mutex.lock();
        try {
            if (task.over) {
                return;
            }
            task.over = true;
            if (task.in != null) {
                task.in.remove(task);
            }
        } finally {
            mutex.unlock();
        }
        run(task);
    }

    /** Runs a task, after whose failure the others of its bucket still run. */
    private static void run(Task task) {
        try {
            task.work.run();
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Leasehold has a fault: a timer's task failed", e);
        }
    }
}

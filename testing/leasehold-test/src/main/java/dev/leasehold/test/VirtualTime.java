package dev.leasehold.test;

import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A virtual time stands still until the test moves it. Thread-safe.
 *
 * <p>Tasks run on the thread that moves the time, in the order in which they are due, those due at the same moment in the
 * order in which they were scheduled; each sees the clock at its own moment. So a test is the same at every run. An
 * exception of a task comes out of the call that moved the time; the time has then been moved up to that task.
 */
public final class VirtualTime implements TimeSource {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long NANOS_PER_MICRO = 1_000;

    private record Task(long due, long order, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
        }
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final ReentrantLock moving = new ReentrantLock();
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long nanos;
    private long wallAheadMicros = START.getEpochSecond() * 1_000_000;
    private long scheduled;

    /** Makes a time that begins at the start of the year 2026, with the monotonic clock at zero. */
    public VirtualTime() {}

    @Override
    public ClockReading now() {
        mutex.lock();
        try {
            return new ClockReading(nanos, wallAheadMicros + nanos / NANOS_PER_MICRO);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public Timer schedule(Duration delay, Runnable action) {
        mutex.lock();
        try {
            Task task = new Task(nanos + positiveNanos(delay), scheduled++, action);
            tasks.add(task);
            return () -> cancel(task);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Lets time pass, and runs the tasks that are due until then.
     *
     * @param duration how long; zero runs those that are due already
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time does not run backwards, but was to advance by " + duration);
        }
        moving.lock();
        try {
            long target = nanos() + positiveNanos(duration);
            for (Task task = next(target); task != null; task = next(target)) {
                task.action().run();
            }
        } finally {
            moving.unlock();
        }
    }

    /**
     * Sets the wall clock, as an operator or a time server does. The monotonic clock does not notice.
     *
     * @param by how far; may be negative
     */
    public void jumpWallClock(Duration by) {
        mutex.lock();
        try {
            wallAheadMicros += by.toNanos() / NANOS_PER_MICRO;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Suspends the machine: the wall clock moves on, the monotonic clock stands still, and nothing runs.
     *
     * @param duration how long
     * @throws IllegalArgumentException if it is negative
     */
    public void suspend(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("a machine is not suspended for " + duration);
        }
        jumpWallClock(duration);
    }

    /**
     * Pauses the process, as a long garbage collection or a stopped container does: both clocks move on, and nothing runs.
     * Tasks that have become due meanwhile run late, when the time is moved next.
     *
     * @param duration how long
     * @throws IllegalArgumentException if it is negative
     */
    public void pause(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("a process is not paused for " + duration);
        }
        moving.lock();
        try {
            mutex.lock();
            try {
                nanos += positiveNanos(duration);
            } finally {
                mutex.unlock();
            }
        } finally {
            moving.unlock();
        }
    }

    /** Takes the next task due by the target, at its moment; without one, moves to the target. */
    private @Nullable Task next(long target) {
        mutex.lock();
        try {
            Task task = tasks.peek();
            if (task == null || task.due() > target) {
                nanos = Math.max(nanos, target);
                return null;
            }
            tasks.remove();
            nanos = Math.max(nanos, task.due());
            return task;
        } finally {
            mutex.unlock();
        }
    }

    private void cancel(Task task) {
        mutex.lock();
        try {
            tasks.remove(task);
        } finally {
            mutex.unlock();
        }
    }

    // The limit is a third of the range of a long: more than 97 years, and sums of two do not overflow.
    private static long positiveNanos(Duration duration) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE / 3);
        if (duration.compareTo(most) > 0) {
            return most.toNanos();
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }
}

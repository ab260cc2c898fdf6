package dev.leasehold.engine.threads;

import dev.leasehold.internal.DaemonThreads;
import dev.leasehold.spi.ClockReading;
import dev.leasehold.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * The system time is made of the system's clocks and one daemon thread for scheduled tasks.
 *
 * <p>A caller only adds its task to a {@link TimerQueue}, and wakes the thread if that sleeps for too long. Almost every
 * task here is cancelled long before its time: a lock is released before its renewal is due. So while tasks come in, the
 * thread looks for them once in 18 ms by itself, and nobody wakes it for a task that is due later than its next look.
 *
 * <p>No caller takes a lock here or calls the JDK's executor. (It did, and a caller whose stack ended inside the executor's
 * lock took that lock with it: no timer of this client fired again, and its close waited for ever.)
 */
public final class SystemTime implements TimeSource, AutoCloseable {

    private static final long LONGEST_DELAY_NANOS = Long.MAX_VALUE / 4;

    private static final long MOST_APART_NANOS = 1_000_000;
    private static final int MOST_TRIES = 10;

    /**
     * The thread looks for new tasks at this interval. It is just below the 20 ms after which a pushed grant is confirmed by a
     * renewal, so that these renewals do not wake the thread either.
     */
    private static final long BEAT_NANOS = 18_000_000;

    /** After an Error of our own, until it is tried again. */
    private static final long PAUSE_NANOS = 10_000_000;

    private static final long AWAKE = Long.MIN_VALUE;

    /** A multiple of the width of slots, so that renewals that fall onto common times begin a slot. */
    private final long origin = System.nanoTime() & -TimerQueue.WIDTH_NANOS;

    private final TimerQueue queue = new TimerQueue();
    private final Thread thread;
    private final AtomicBoolean starting = new AtomicBoolean();

    /** When the thread looks again by itself. A caller reads it after it has added its task, the thread looks for tasks after writing it. */
    private volatile long looksAt = TimerQueue.NEVER;

    private volatile boolean closed;

    public SystemTime(String threadName) {
        this(work -> DaemonThreads.unstarted(threadName, work));
    }

    SystemTime(Function<Runnable, Thread> threads) {
        thread = threads.apply(this::runUntilClosed);
    }

    /**
     * Reads both clocks, and reads again if the thread was held up between the two: that would look like a clock that was
     * set.
     */
    @Override
    public ClockReading now() {
        for (int tries = 1; ; tries++) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long after = System.nanoTime();
            if (after - before <= MOST_APART_NANOS || tries == MOST_TRIES) {
                return new ClockReading(after, wall.getEpochSecond() * 1_000_000 + wall.getNano() / 1000);
            }
        }
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        if (closed) {
            return () -> {};
        }
        long nanos = delay.compareTo(Duration.ofNanos(LONGEST_DELAY_NANOS)) > 0
                ? LONGEST_DELAY_NANOS
                : Math.max(0, delay.toNanos());
        long now = elapsed();
        Timer timer = queue.add(now + nanos, task);
        if (now + Math.min(nanos, BEAT_NANOS) < looksAt) {
            wake();
        }
        return timer;
    }

    private long elapsed() {
        return System.nanoTime() - origin;
    }

    /** Wakes the thread, or starts it; a start that fails is tried again by each other caller. */
    private void wake() {
        while (thread.getState() == Thread.State.NEW) {
            if (starting.compareAndSet(false, true)) {
                start();
            } else {
                LockSupport.parkNanos(MOST_APART_NANOS);
            }
        }
        LockSupport.unpark(thread);
    }

    private void start() {
        boolean started = false;
        try {
            thread.start();
            started = true;
        } finally {
            starting.set(started);
        }
    }

    private void runUntilClosed() {
        while (!closed) {
            try {
                boolean news = queue.sort();
                long next = queue.runDue(elapsed());
                sleepUntil(news ? Math.min(next, elapsed() + BEAT_NANOS) : next);
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void sleepUntil(long time) {
        looksAt = time;
        if (!queue.hasNews() && !closed) {
            LockSupport.parkNanos(this, Math.max(1, time - elapsed()));
        }
        looksAt = AWAKE;
        // Nobody of ours interrupts this thread; an interrupt must not keep it from sleeping.
        Thread.interrupted();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}

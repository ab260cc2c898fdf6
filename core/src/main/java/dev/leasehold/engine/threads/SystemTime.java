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
 * <p>{@link Timers} say what runs when, and how long the thread sleeps. No caller takes a lock here or calls the JDK's
 * executor. (It did, and a caller whose stack ended inside the executor's lock took that lock with it: no timer of this
 * client fired again, and its close waited for ever.)
 */
public final class SystemTime implements TimeSource, AutoCloseable {

    private static final long MOST_APART_NANOS = 1_000_000;
    private static final int MOST_TRIES = 10;

    /** After an Error of our own, until it is tried again. */
    private static final long PAUSE_NANOS = 10_000_000;

    private final Timers timers = new Timers(System::nanoTime, this::wake);
    private final Thread thread;
    private final AtomicBoolean starting = new AtomicBoolean();

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
        return closed ? () -> {} : timers.schedule(delay, task);
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
                long nanos = timers.look();
                if (nanos > 0 && !closed) {
                    LockSupport.parkNanos(this, nanos);
                }
                // Nobody of ours interrupts this thread; an interrupt must not keep it from sleeping.
                Thread.interrupted();
            } catch (Throwable e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}

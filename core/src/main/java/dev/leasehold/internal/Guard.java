package dev.leasehold.internal;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A guard keeps other threads from a state for some instructions. Its owner may take it again, and does nothing inside that blocks.
 *
 * <p>Nobody stands in line for it. In a line, as before a {@code ReentrantLock} or, from JDK 24 on, a monitor, the next may be a
 * virtual thread without a carrier; then all behind it wait, timers too, until a carrier is free. Here each looks again by itself.
 * It may use up an {@link LockSupport#unpark} of its thread, as any lock may: look at what one waits for after taking a guard, not before.
 */
public final class Guard {

    private static final AtomicReferenceFieldUpdater<Guard, @Nullable Thread> OWNER =
            AtomicReferenceFieldUpdater.newUpdater(Guard.class, Thread.class, "owner");

    /** An owner with a processor is out again sooner than a thread falls asleep. */
    private static final int SPINS = 100;

    /** An owner without one has to wait for its turn. */
    private static final long PAUSE_NANOS = 20_000;

    private volatile @Nullable Thread owner;
    private int again;

    /** Takes the guard, as soon as no other thread has it. */
    public void lock() {
        Thread me = Thread.currentThread();
        if (owner == me) {
            again++;
            return;
        }
        for (int tries = 0; !OWNER.compareAndSet(this, null, me); tries++) {
            pause(tries);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // For a thread that is interrupted, and so cannot sleep.
    private static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Gives it back; only its owner may. */
    public void unlock() {
        if (again > 0) {
            again--;
        } else {
            owner = null;
        }
    }
}

package dev.leasehold.engine;

import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Looks for an answer a moment longer before its caller goes to sleep. A store in memory on the same machine or rack answers
 * within some 30 microseconds; to put a thread to sleep and wake it takes as long again, and more on a virtual machine whose
 * processor has been given back meanwhile.
 *
 * <p>What it costs is bounded. It ends after {@value #LONGEST_NANOS} ns. Only one caller of a client does it at a time, so a
 * client never keeps more than one processor busy with it, and none where there is only one. And it is done only where it
 * helps: whether it does is judged by {@value #WINDOW} calls in a row, because the first after a sleep finds everybody else
 * asleep, too, and one alone says nothing. If more than {@value #MOST_IN_VAIN} were in vain, it is left out for as many calls,
 * and each time for twice as many; so where answers take longer (a store far away, a database, a lock that others hold)
 * {@value #WINDOW} calls of {@value #MOST_LEFT_OUT} try it.
 *
 * <p>One serves a client's acquires and releases alike: where a lock goes from hand to hand, a release may be answered in time,
 * but an acquire never is, and whoever kept a processor busy would only be in the others' way.
 *
 * <p>It decides nothing: whoever asks goes on to wait for the answer in either case.
 */
final class Spin {

    static final long LONGEST_NANOS = 200_000;
    static final int WINDOW = 16;
    static final int MOST_IN_VAIN = 4;
    static final int MOST_LEFT_OUT = 2_048;

    private final LongSupplier nanos;

    /** Whoever has set it may touch the rest. */
    private final AtomicBoolean taken = new AtomicBoolean();

    private int calls;
    private int inVain;
    private int nextLeftOut = WINDOW;
    private int leaveOut;

    /**
     * Makes one.
     *
     * @param nanos the machine's clock, whatever a client's may be: this is about threads, not leases
     * @param processors how many this process may use
     */
    Spin(LongSupplier nanos, int processors) {
        this.nanos = nanos;
        if (processors < 2) {
            taken.set(true);
        }
    }

    /** Returns when the answer is there, or soon. */
    void until(Future<?> answer) {
        if (answer.isDone() || !taken.compareAndSet(false, true)) {
            return;
        }
        try {
            if (leaveOut > 0) {
                leaveOut--;
            } else {
                count(look(answer));
            }
        } finally {
            taken.set(false);
        }
    }

    private boolean look(Future<?> answer) {
        long start = nanos.getAsLong();
        do {
            if (answer.isDone()) {
                return true;
            }
            Thread.onSpinWait();
        } while (nanos.getAsLong() - start < LONGEST_NANOS);
        return false;
    }

    private void count(boolean helped) {
        calls++;
        inVain += helped ? 0 : 1;
        if (calls < WINDOW) {
            return;
        }
        if (inVain > MOST_IN_VAIN) {
            leaveOut = nextLeftOut;
            nextLeftOut = Math.min(MOST_LEFT_OUT, 2 * nextLeftOut);
        } else {
            nextLeftOut = WINDOW;
        }
        calls = 0;
        inVain = 0;
    }
}

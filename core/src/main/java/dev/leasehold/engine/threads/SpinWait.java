package dev.leasehold.engine.threads;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A spin wait looks for an answer a moment longer before its caller goes to sleep. A store in memory on the same machine or
 * rack answers within some 30 microseconds; to put a thread to sleep and wake it takes as long again, and more on a virtual
 * machine whose processor has been given back meanwhile.
 *
 * <p>Its cost is bounded. It ends after a fraction of a millisecond, unless others have the processor then. Of the callers
 * that share one, only one spins at a time, so they never keep more than one processor busy with it, and none where there
 * is only one. And it is done only where it helps. Whether it does is judged by {@value #WINDOW} calls in a row, because
 * the first after a sleep finds everybody else asleep, too, and one alone says nothing. As soon as more than {@value
 * #MOST_IN_VAIN} of them were in vain, it is left out for {@value #WINDOW} calls, and each time for twice as many; so where
 * answers take longer (a store far away, a database, a lock that others hold) five calls of {@value #MOST_LEFT_OUT} try it.
 *
 * <p>Between two looks it offers its processor to others that could run there, since one of them may be the very one that
 * has to answer: a server on the same machine, the thread that reads from it, another process whose turn it is. (A virtual
 * thread makes room for others of its kind.) If nobody else could run, that takes less than a microsecond. If others keep
 * the processor for long, the call counts as in vain, even if the answer came meanwhile: a thread that sleeps is woken
 * sooner than one that waits for its next turn.
 *
 * <p>Each client has one for its acquires and releases alike: where a lock goes from hand to hand, a release may be
 * answered in time, but an acquire never is, and a thread that kept looking would only be in the others' way. Only clients
 * of stores that may answer so soon have one ({@link dev.leasehold.internal.CallerThreads#mayAnswerAtOnce}: one Redis,
 * SQLite). There is none where the system property {@value #SWITCH} is {@code false}, for users who would rather have the
 * processor.
 *
 * <p>It decides nothing: the caller goes on to wait for the answer in either case. Thread-safe.
 */
public final class SpinWait {

    static final String SWITCH = "leasehold.spin";

    static final long USUAL_NANOS = 200_000;
    static final int WINDOW = 16;
    static final int MOST_IN_VAIN = 4;
    static final int MOST_LEFT_OUT = 2_048;

    private final LongSupplier nanos;
    private final Runnable offer;
    private final long longest;

    /** The caller that has set this may touch the rest. */
    private final AtomicBoolean taken = new AtomicBoolean();

    private int calls;
    private int inVain;
    private int nextLeftOut = WINDOW;
    private int leaveOut;

    /** Makes a spin wait for this machine, unless it was switched off. */
    public static SpinWait usual() {
        boolean off = "false".equals(System.getProperty(SWITCH));
        return off
                ? none()
                : new SpinWait(
                        System::nanoTime, SpinWait::offer, Runtime.getRuntime().availableProcessors(), USUAL_NANOS);
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on it but the time that it takes.
    private static void offer() {
        Thread.yield();
    }

    /** Makes a spin wait that never spins. */
    public static SpinWait none() {
        return new SpinWait(System::nanoTime, SpinWait::offer, 1, 0);
    }

    /**
     * Makes a spin wait.
     *
     * @param nanos the machine's clock, whatever a client's may be: this is about threads, not leases
     * @param offer lets others run on this processor
     * @param processors how many this process may use
     */
    SpinWait(LongSupplier nanos, Runnable offer, int processors, long longest) {
        this.nanos = nanos;
        this.offer = offer;
        this.longest = longest;
        if (processors < 2) {
            taken.set(true);
        }
    }

    /**
     * Waits until the answer is there, or for a short time.
     *
     * @param there whether the answer is there; called many times, so it must be quick, and must not throw
     */
    public void until(BooleanSupplier there) {
        if (there.getAsBoolean() || !taken.compareAndSet(false, true)) {
            return;
        }
        try {
            if (leaveOut > 0) {
                leaveOut--;
            } else {
                count(look(there));
            }
        } finally {
            taken.set(false);
        }
    }

    private boolean look(BooleanSupplier there) {
        long start = nanos.getAsLong();
        do {
            if (there.getAsBoolean()) {
                return true;
            }
            offer.run();
        } while (nanos.getAsLong() - start < longest);
        return false;
    }

    private void count(boolean helped) {
        calls++;
        inVain += helped ? 0 : 1;
        if (inVain > MOST_IN_VAIN) {
            leaveOut = nextLeftOut;
            nextLeftOut = Math.min(MOST_LEFT_OUT, 2 * nextLeftOut);
        } else if (calls == WINDOW) {
            nextLeftOut = WINDOW;
        } else {
            return;
        }
        calls = 0;
        inVain = 0;
    }
}

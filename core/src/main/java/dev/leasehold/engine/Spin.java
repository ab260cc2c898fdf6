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
 * has helped: each time in vain doubles for how many calls it is left out, so where answers take longer (a store far away,
 * a database, a lock that others hold) one call in {@value #MOST_LEFT_OUT} tries it.
 *
 * <p>It decides nothing: whoever asks goes on to wait for the answer in either case. Therefore its state needs no lock; two
 * callers that count at once miscount.
 */
final class Spin {

    static final long LONGEST_NANOS = 50_000;
    static final int MOST_LEFT_OUT = 512;

    private final LongSupplier nanos;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile int inVain;
    private volatile int leaveOut;

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
            int left = leaveOut;
            if (left > 0) {
                leaveOut = left - 1;
                return;
            }
            look(answer);
        } finally {
            taken.set(false);
        }
    }

    private void look(Future<?> answer) {
        long start = nanos.getAsLong();
        do {
            if (answer.isDone()) {
                inVain = 0;
                return;
            }
            Thread.onSpinWait();
        } while (nanos.getAsLong() - start < LONGEST_NANOS);
        int before = inVain;
        inVain = Math.min(MOST_LEFT_OUT, Math.max(1, 2 * before));
        leaveOut = inVain;
    }
}

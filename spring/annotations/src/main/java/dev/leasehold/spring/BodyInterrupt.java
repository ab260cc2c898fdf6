package dev.leasehold.spring;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A body interrupt is the interrupt that may come to a thread while it runs a body, and that does not outlive the body. Made
 * on that thread. Thread-safe.
 */
final class BodyInterrupt {

    private final ReentrantLock guard = new ReentrantLock();
    private final Thread thread = Thread.currentThread();
    private boolean over;
    private boolean interrupted;
    private boolean setHere;

    /** Interrupts the thread, once. Returns false if the body has ended. */
    boolean interrupt() {
        guard.lock();
        try {
            if (!over && !interrupted) {
                interrupted = true;
                setHere = !thread.isInterrupted();
                thread.interrupt();
            }
            return !over;
        } finally {
            guard.unlock();
        }
    }

    /**
     * Notes, on the thread, that the body has ended, and takes back an interrupt of ours that it has not taken.
     *
     * @param thrown what it has thrown, or null
     * @return whether it was interrupted by us, and has failed: few let the interrupt out as it is, so it counts as the reason
     */
    boolean ended(@Nullable Throwable thrown) {
        guard.lock();
        try {
            over = true;
            boolean taken = thrown instanceof InterruptedException;
            if (setHere && !taken) {
                Thread.interrupted();
            }
            return interrupted && thrown != null;
        } finally {
            guard.unlock();
        }
    }
}

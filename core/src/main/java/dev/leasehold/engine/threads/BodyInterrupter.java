package dev.leasehold.engine.threads;

import dev.leasehold.internal.Guard;
import org.jspecify.annotations.Nullable;

/**
 * A body interrupter interrupts a body when its lease is lost: once, never before it has begun, never after it has ended.
 *
 * <p>A thread has one interrupt flag for all who interrupt it. So that nobody else's interrupt is lost, the flag is cleared
 * after the body only if this interrupter has set it and the body has not consumed it. A body that threw
 * InterruptedException has consumed it, and a flag that is set then was set later, by somebody else.
 */
public final class BodyInterrupter {

    private final Guard guard = new Guard();
    private final Thread thread = Thread.currentThread();
    private boolean running = true;
    private boolean interrupted;
    private boolean setHere;

    public void interrupt() {
        guard.lock();
        try {
            if (running && !interrupted) {
                interrupted = true;
                setHere = !thread.isInterrupted();
                thread.interrupt();
            }
        } finally {
            guard.unlock();
        }
    }

    /**
     * Notes that the body has ended: an interrupt of ours that it has not taken does not outlive it.
     *
     * @param thrown what it has thrown, or null
     * @return whether it has ended because of an interrupt of ours
     */
    public boolean ended(@Nullable Throwable thrown) {
        guard.lock();
        try {
            running = false;
            boolean taken = thrown instanceof InterruptedException;
            if (setHere && !taken) {
                Thread.interrupted();
            }
            return interrupted && taken;
        } finally {
            guard.unlock();
        }
    }
}

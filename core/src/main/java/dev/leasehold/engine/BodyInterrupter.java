package dev.leasehold.engine;

import java.util.concurrent.locks.ReentrantLock;

/** Interrupts a body when its lease is lost: once, never before it has begun, never after it has ended. */
final class BodyInterrupter {

    private final ReentrantLock guard = new ReentrantLock();
    private final Thread thread = Thread.currentThread();
    private boolean running = true;
    private boolean interrupted;

    void interrupt() {
        guard.lock();
        try {
            if (running && !interrupted) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            guard.unlock();
        }
    }

    /** The body has ended: an interrupt of ours that it has not taken does not outlive it. */
    void ended() {
        guard.lock();
        try {
            running = false;
            if (interrupted) {
                Thread.interrupted();
            }
        } finally {
            guard.unlock();
        }
    }
}

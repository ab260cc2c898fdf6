package dev.leasehold.spring;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bodies that run under locks now, on threads, as stages and as streams: for a shutdown, which lets them end by themselves
 * first and interrupts them while their leases are still valid. Thread-safe.
 */
public final class RunningBodies {

    private final Set<Body> bodies = ConcurrentHashMap.newKeySet();
    private final ReentrantLock waiting = new ReentrantLock();
    private final Condition noneRuns = waiting.newCondition();

    /** Makes an empty set. */
    public RunningBodies() {}

    /** Notes that this thread runs a body, until the result is left. */
    Body enter() {
        return enter(Thread.currentThread()::interrupt, true);
    }

    /** Notes a body that is bound to no thread, until the result is left. */
    Body enterUnbound(Runnable interruption) {
        return enter(interruption, false);
    }

    private Body enter(Runnable interruption, boolean onThread) {
        Body body = new Body(interruption, onThread);
        bodies.add(body);
        return body;
    }

    /**
     * Interrupts the bodies that run now: the threads that run them, and streams, which are cancelled, and so are stages whose
     * class has a cancel of its own. A plain {@link java.util.concurrent.CompletableFuture} goes on: its work would not end if
     * it were cancelled.
     *
     * @return how many
     */
    public int interrupt() {
        int count = 0;
        for (Body body : bodies) {
            count += body.interrupt() ? 1 : 0;
        }
        return count;
    }

    /**
     * Waits until no body runs.
     *
     * @param limit how long to wait at most
     * @return whether there was a moment in which none ran
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean await(Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        waiting.lock();
        try {
            while (!bodies.isEmpty()) {
                if (left <= 0) {
                    return false;
                }
                left = noneRuns.awaitNanos(left);
            }
            return true;
        } finally {
            waiting.unlock();
        }
    }

    /** {@return how many bodies run now} */
    public int count() {
        return bodies.size();
    }

    /** A body that runs. Its thread is not interrupted after it has left. */
    final class Body {

        private final ReentrantLock guard = new ReentrantLock();
        private final Runnable interruption;
        private final boolean onThread;
        private boolean over;

        private Body(Runnable interruption, boolean onThread) {
            this.interruption = interruption;
            this.onThread = onThread;
        }

        /** A cancelled stage may leave at once, and call code of others, so no lock is held then. */
        private boolean interrupt() {
            guard.lock();
            try {
                if (over) {
                    return false;
                }
                if (onThread) {
                    interruption.run();
                    return true;
                }
            } finally {
                guard.unlock();
            }
            interruption.run();
            return true;
        }

        void leave() {
            guard.lock();
            try {
                over = true;
            } finally {
                guard.unlock();
            }
            bodies.remove(this);
            if (bodies.isEmpty()) {
                waiting.lock();
                try {
                    noneRuns.signalAll();
                } finally {
                    waiting.unlock();
                }
            }
        }
    }
}

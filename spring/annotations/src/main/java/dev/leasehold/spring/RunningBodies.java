package dev.leasehold.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Running bodies are those that run under locks now, on threads, as stages, as streams and as transactions: for a
 * shutdown, which lets them end by themselves first and interrupts them while their leases are still valid.
 * Thread-safe.
 */
public final class RunningBodies {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private final Set<Body> bodies = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<StageWork> collected = new ReferenceQueue<>();
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

    /** Notes the work of a stage, until the result is left or the work is collected, since nobody can complete the stage. */
    Body enterStage(StageWork work) {
        leaveCollected();
        return enter(new StageReference(work, collected), false);
    }

    private Body enter(Runnable interruption, boolean onThread) {
        Body body = new Body(interruption, onThread);
        bodies.add(body);
        return body;
    }

    private void leaveCollected() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            for (Body body : bodies) {
                if (body.interruption == gone) {
                    body.leave();
                }
            }
        }
    }

    /**
     * Interrupts the bodies that run now: the threads that run them first, and then streams, which are cancelled, and so are
     * stages whose class has a cancel of its own. A plain {@link java.util.concurrent.CompletableFuture} goes on: its work would
     * not end if it were cancelled. Blocks for as long as such a cancel does.
     *
     * @return how many
     */
    public int interrupt() {
        leaveCollected();
        return interrupt(true) + interrupt(false);
    }

    private int interrupt(boolean onThread) {
        int count = 0;
        for (Body body : bodies) {
            if (body.onThread == onThread && body.interrupt()) {
                count++;
            }
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
        leaveCollected();
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
        leaveCollected();
        return bodies.size();
    }

    /** A stage reference refers to the work of a stage weakly: what is noted does not keep a lease from being dropped. */
    private static final class StageReference extends WeakReference<StageWork> implements Runnable {

        StageReference(StageWork work, ReferenceQueue<StageWork> collected) {
            super(work, collected);
        }

        @Override
        public void run() {
            StageWork work = get();
            if (work != null) {
                work.interrupt();
            }
        }
    }

    /** A body is one that runs. Its thread is not interrupted after it has left. */
    final class Body {

        private final ReentrantLock guard = new ReentrantLock();
        private final Runnable interruption;
        private final boolean onThread;
        private boolean over;

        private Body(Runnable interruption, boolean onThread) {
            this.interruption = interruption;
            this.onThread = onThread;
        }

        /**
         * Interrupts the body. A cancelled stage may leave at once, and call code of others, so no lock is held then.
         */
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
            try {
                interruption.run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "work under a lock could not be cancelled", e);
            }
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

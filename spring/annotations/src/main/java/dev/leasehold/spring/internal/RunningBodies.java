package dev.leasehold.spring.internal;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Running bodies are those that run under locks now, on threads, as stages, as streams and as transactions: for a
 * shutdown, which lets them end by themselves first and interrupts them while their leases are still valid.
 * Thread-safe.
 */
public final class RunningBodies {

    private final Set<Body> bodies = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
    private final ReentrantLock waiting = new ReentrantLock();
    private final Condition noneRuns = waiting.newCondition();

    /** Makes an empty set. */
    public RunningBodies() {}

    /**
     * Notes a body, until the result is left.
     *
     * @param interruption comes once at most, and neither blocks nor fails
     * @return the body
     */
    public Body enter(Runnable interruption) {
        return enter(interruption, null);
    }

    /**
     * Notes the work behind a future, until the result is left or the future is collected, since nobody can complete it.
     *
     * @param end the future, which is noted weakly
     * @return the body
     */
    public Body enterStage(CompletableFuture<?> end) {
        leaveCollected();
        return enter(null, new WeakReference<>(end, collected));
    }

    private Body enter(@Nullable Runnable interruption, @Nullable Reference<?> stage) {
        Body body = new Body(interruption, stage);
        bodies.add(body);
        return body;
    }

    private void leaveCollected() {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            for (Body body : bodies) {
                if (body.stage == gone) {
                    body.leave();
                }
            }
        }
    }

    /**
     * Interrupts the bodies that run now: threads are interrupted, and streams cancelled. A stage goes on: its work would not end
     * if it were cancelled. Does not block.
     *
     * @return how many
     */
    public int interrupt() {
        int count = 0;
        for (Body body : bodies) {
            if (body.interrupt()) {
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

    /** A body is one that runs. It is not interrupted after it has left. */
    public final class Body {

        private final ReentrantLock guard = new ReentrantLock();
        private final @Nullable Runnable interruption;
        private final @Nullable Reference<?> stage;
        private boolean over;

        private Body(@Nullable Runnable interruption, @Nullable Reference<?> stage) {
            this.interruption = interruption;
            this.stage = stage;
        }

        private boolean interrupt() {
            guard.lock();
            try {
                if (over || interruption == null) {
                    return false;
                }
                interruption.run();
                return true;
            } finally {
                guard.unlock();
            }
        }

        /** Notes that the body has ended. */
        public void leave() {
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

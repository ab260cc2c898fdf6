package dev.leasehold.zookeeper;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, each on the thread of whoever finds nobody else at it. So what only tasks touch needs no
 * lock, and a task that brings another one never waits for it: it comes next. Nobody is kept for ever by what others bring:
 * after {@link #MOST} tasks the rest is left to an executor. Thread-safe.
 */
final class Turns {

    /** So many tasks one thread runs in a row. */
    static final int MOST = 2_000;

    private static final Logger LOG = System.getLogger("dev.leasehold.zookeeper");

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean left = new AtomicBoolean();
    private final Executor others;
    private volatile boolean alone;

    /**
     * Begins with nothing to do.
     *
     * @param others runs what was left, on another thread; may drop it once {@link #closing} has been called
     */
    Turns(Executor others) {
        this.others = others;
    }

    void run(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() == 0) {
            work();
        }
    }

    /** From now on the executor cannot be relied on: whoever is at it stays at it, and what was left to it is done here. */
    void closing() {
        alone = true;
        takeOver();
    }

    private void takeOver() {
        if (left.compareAndSet(true, false)) {
            work();
        }
    }

    private void work() {
        int done = 0;
        do {
            if (done++ >= MOST && !alone) {
                left.set(true);
                others.execute(this::takeOver);
                if (alone) {
                    takeOver();
                }
                return;
            }
            Runnable next = tasks.poll();
            try {
                if (next != null) {
                    next.run();
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "Leasehold has a fault: a turn of its ZooKeeper store failed", e);
            }
        } while (waiting.decrementAndGet() != 0);
    }
}

package dev.leasehold.zookeeper;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one after the other, each on the thread of whoever finds nobody else at it. So what only tasks touch needs no
 * lock, and a task that brings another one never waits for it: it comes next.
 */
final class Turns {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    void run(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() != 0) {
            return;
        }
        do {
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

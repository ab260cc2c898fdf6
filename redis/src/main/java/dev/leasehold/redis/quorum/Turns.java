package dev.leasehold.redis.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time in the order in which they come, on the thread that {@code where} gives to whoever finds nobody at
 * work. What a task sends is therefore sent before anything that a later task sends, and nobody waits while somebody else is
 * at work.
 */
final class Turns {

    private final Executor where;
    private final Runnable onFault;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Makes one.
     *
     * @param where runs every task, at once or soon
     * @param onFault run after a task that threw something, in its turn
     */
    Turns(Executor where, Runnable onFault) {
        this.where = where;
        this.onFault = onFault;
    }

    void run(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() == 0) {
            where.execute(this::work);
        }
    }

    private void work() {
        do {
            if (!runs(tasks.remove())) {
                runs(onFault);
            }
        } while (waiting.decrementAndGet() != 0);
    }

    private static boolean runs(Runnable task) {
        try {
            task.run();
            return true;
        } catch (RuntimeException | Error e) {
            System.getLogger("dev.leasehold.redis")
                    .log(System.Logger.Level.ERROR, "Leasehold has a fault in a quorum", e);
            return false;
        }
    }
}

package dev.leasehold.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs tasks on another executor, in order and one at a time. */
final class InOrder implements Executor {

    private final Executor executor;
    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    InOrder(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        guard.lock();
        try {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        } finally {
            guard.unlock();
        }
        executor.execute(this::runAll);
    }

    private void runAll() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private @Nullable Runnable next() {
        guard.lock();
        try {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        } finally {
            guard.unlock();
        }
    }
}

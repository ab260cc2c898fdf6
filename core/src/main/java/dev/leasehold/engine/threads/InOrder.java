package dev.leasehold.engine.threads;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs tasks on another executor, in order and one at a time; one that throws does not keep the next from running. Where the
 * executor cannot take them (no thread can be made), they wait for the next one that comes.
 */
public final class InOrder implements Executor {

    private final Executor executor;
    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    public InOrder(Executor executor) {
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
        pass();
    }

    private void pass() {
        boolean taken = false;
        try {
            executor.execute(this::runOne);
            taken = true;
        } finally {
            if (!taken) {
                stop();
            }
        }
    }

    private void stop() {
        guard.lock();
        try {
            running = false;
        } finally {
            guard.unlock();
        }
    }

    private void runOne() {
        try {
            next().run();
        } finally {
            if (goesOn()) {
                pass();
            }
        }
    }

    private Runnable next() {
        guard.lock();
        try {
            return tasks.remove();
        } finally {
            guard.unlock();
        }
    }

    private boolean goesOn() {
        guard.lock();
        try {
            running = !tasks.isEmpty();
            return running;
        } finally {
            guard.unlock();
        }
    }
}

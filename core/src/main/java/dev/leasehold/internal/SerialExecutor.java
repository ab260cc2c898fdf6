package dev.leasehold.internal;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * An executor that runs tasks one at a time, in the order in which they come, on threads of other executors. What only its
 * tasks touch needs no lock; and nobody waits while somebody else is at work, since whoever brings a task then puts it in and
 * goes. Thread-safe.
 *
 * <p>A task that throws does not keep the next from running. Where no thread can be had for the tasks, they wait for the next
 * one that comes. Nobody is kept for ever by what others bring: after some tasks in a row the rest goes to another thread.
 */
public final class SerialExecutor implements Executor {

    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Executor first;
    private final Executor rest;
    private final int mostInARow;
    private final Consumer<Throwable> onFault;

    private boolean atWork;
    private boolean handedOn;
    private boolean alone;

    /**
     * Makes one.
     *
     * @param first gives a thread to whoever brings a task and finds nobody at work
     * @param rest gives a thread to what is left after many tasks in a row
     * @param mostInARow after so many tasks the rest is handed on
     * @param onFault told, before the next task, what a task has thrown
     */
    public SerialExecutor(Executor first, Executor rest, int mostInARow, Consumer<Throwable> onFault) {
        this.first = first;
        this.rest = rest;
        this.mostInARow = mostInARow;
        this.onFault = onFault;
    }

    /**
     * Makes one that asks for a thread for each task, so that others have their turn in between. What a task throws goes where
     * it would go from the executor's own thread.
     *
     * @param executor gives the threads
     * @return the executor
     */
    public static SerialExecutor on(Executor executor) {
        return new SerialExecutor(executor, executor, 1, SerialExecutor::uncaught);
    }

    private static void uncaught(Throwable failure) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }

    @Override
    public void execute(Runnable task) {
        guard.lock();
        try {
            tasks.add(task);
            if (atWork) {
                return;
            }
            atWork = true;
        } finally {
            guard.unlock();
        }
        begin(first, this::work);
    }

    /** Relies on the second executor no more: whoever is at work stays at it, and what was handed on is done here. */
    public void stayHere() {
        guard.lock();
        try {
            alone = true;
        } finally {
            guard.unlock();
        }
        takeOver();
    }

    private void begin(Executor where, Runnable work) {
        boolean begun = false;
        try {
            where.execute(work);
            begun = true;
        } finally {
            if (!begun) {
                stop();
            }
        }
    }

    private void stop() {
        guard.lock();
        try {
            atWork = false;
            handedOn = false;
        } finally {
            guard.unlock();
        }
    }

    private void work() {
        int done = 0;
        do {
            run(next());
            done++;
        } while (goesOn(done));
    }

    private Runnable next() {
        guard.lock();
        try {
            return tasks.remove();
        } finally {
            guard.unlock();
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            try {
                onFault.accept(e);
            } catch (Throwable again) {
                uncaught(again);
            }
        }
    }

    /** Whether this thread has another task to run. */
    private boolean goesOn(int done) {
        guard.lock();
        try {
            atWork = !tasks.isEmpty();
            if (!atWork) {
                return false;
            }
            if (done < mostInARow || alone) {
                return true;
            }
            handedOn = true;
        } finally {
            guard.unlock();
        }
        begin(rest, this::takeOver);
        return false;
    }

    private void takeOver() {
        guard.lock();
        try {
            if (!handedOn) {
                return;
            }
            handedOn = false;
        } finally {
            guard.unlock();
        }
        work();
    }
}

package dev.leasehold.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A serial executor runs tasks one at a time, in the order in which they come, on threads of other executors. State that
 * only its tasks touch needs no lock. Nobody waits while a task runs: a thread that brings another one then only adds it
 * and goes. Thread-safe.
 *
 * <p>A task that throws does not keep the next from running. If an executor refuses the tasks, they wait until the next
 * one is brought. So that no thread is kept for ever, the rest goes to another thread after some tasks in a row.
 */
public final class SerialExecutor implements Executor {

    private static final Logger LOG = System.getLogger("dev.leasehold");

    private final Guard guard = new Guard();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final Executor first;
    private final Executor rest;
    private final int mostInARow;
    private final Consumer<Throwable> onFault;

    private boolean atWork;
    private boolean handedOn;
    private boolean alone;

    /**
     * Makes a serial executor.
     *
     * @param first gives a thread for a task that comes while no other runs
     * @param rest gives a thread for the tasks that are left after many in a row
     * @param mostInARow after so many tasks the rest is handed on
     * @param onFault gets the exception of a task, before the next task runs
     */
    public SerialExecutor(Executor first, Executor rest, int mostInARow, Consumer<Throwable> onFault) {
        this.first = first;
        this.rest = rest;
        this.mostInARow = mostInARow;
        this.onFault = onFault;
    }

    /**
     * Makes a serial executor for callbacks that asks for a thread for each, so that others have their turn in between.
     * What one throws is logged.
     *
     * @param executor gives the threads
     * @return the executor
     */
    public static SerialExecutor on(Executor executor) {
        return new SerialExecutor(
                executor,
                executor,
                1,
                failure -> LOG.log(Level.WARNING, "a callback of a Leasehold client has failed", failure));
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

    /**
     * Stops relying on the second executor: a thread that is at work stays at it, and tasks that were handed on are run
     * here.
     */
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

    /** Returns whether this thread has another task to run. */
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

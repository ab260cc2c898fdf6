package dev.leasehold.engine.threads;

import dev.leasehold.internal.DaemonThreads;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;

/**
 * CallbackThreads makes the small pool of threads that runs users' callbacks unless they bring an executor. It is a
 * fork-join pool, because that adds a thread while one of its own is blocked in a future: a listener that waits for a lock
 * must not keep the completion from running that it waits for. Four run at a time, so that one slow callback does not hold
 * up all others; there are none while there is nothing to do.
 */
final class CallbackThreads {

    private static final int PARALLEL = 4;
    private static final int MOST_THREADS = 16;
    private static final int IDLE_SECONDS = 10;

    private CallbackThreads() {}

    static ForkJoinPool pool(String threadName) {
        return new ForkJoinPool(
                PARALLEL,
                owner -> {
                    ForkJoinWorkerThread thread =
                            DaemonThreads.inheritNothing(threadName, () -> new CallbackThread(owner));
                    thread.setName(threadName);
                    thread.setDaemon(true);
                    return thread;
                },
                null,
                true,
                0,
                MOST_THREADS,
                1,
                saturated -> true,
                IDLE_SECONDS,
                TimeUnit.SECONDS);
    }

    private static final class CallbackThread extends ForkJoinWorkerThread {
        CallbackThread(ForkJoinPool pool) {
            super(pool);
        }
    }
}
